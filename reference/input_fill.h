#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/attention.h"
#include "reference/column_mask.h"
#include "reference/problem.h"

namespace flashgate::reference {

/// Seeded inputs, each chosen to expose a kind of fault. Every value is representable in the problem's dtype, so that a
/// kernel and the oracle start from the same numbers.
enum class Fill {
  uniform,
  exact_integers,
  zero_scores,
  large_range,
  one_hot_key,
  sign_alternating,
  masked_nan,
  padding_poison,
};

struct FillRow
{
  Fill fill;
  std::string_view name;
  std::string_view reason;  ///< the fault it is there for, one sentence
};

/// Every fill, in the order of the enumeration; the row of one; by name, nullptr for a name that is none.
std::span<const FillRow> fills();
const FillRow& fill_row(Fill fill);
const FillRow* find_fill(std::string_view name);

/// Rows of padding that padding_poison puts behind seqlen_q and seqlen_k.
constexpr int kPaddingRows = 5;

/// Q, K, V and dO for a problem. Equal arguments give equal bits on every platform. The mask is looked at by
/// one_hot_key (the hot key is a visible one) and masked_nan (a poisoned key is one that no row sees). No sink is set.
/// REQUIRES: validate(problem, mask) accepts.
AttentionInputs fill_inputs(Fill fill, const Problem& problem, const ColumnMask& mask, std::uint64_t seed);

/// One sink logit per query head, in [-2, 2], representable in bf16 as kernels want it.
std::vector<double> fill_sink(const Problem& problem, std::uint64_t seed);

}  // namespace flashgate::reference
