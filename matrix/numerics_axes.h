#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "matrix/axes.h"
#include "reference/mask_families.h"

namespace flashgate::matrix {

struct NumericsCase;  // numerics_case.h: one value of each axis

/// The axes of the numerics matrix: what can change the result of one kernel call. Names come in this order.
enum class NumericsAxisId : std::uint8_t {
  kernel,
  dtype,
  direction,
  head_dim,
  family,
  causal,
  mask_columns,
  seqlen,
  heads,
  mask_heads,
  batch,
  deterministic,
  cp_size,
  scale,
  fill
};
inline constexpr int kNumericsAxisCount = 15;

/// One axis of the numerics matrix. A row of the table in numerics_axes.cpp is the only place where it is declared;
/// values that another table has already (head dims, families, fills, ...) are taken from there.
struct NumericsAxis
{
  NumericsAxisId id;
  std::string_view name;
  std::string_view help;
  std::vector<AxisValue> values;              ///< the default first
  int (*default_index)(const NumericsCase&);  ///< nullptr: index 0; else depends on `family` alone
};

/// All axes, indexed by NumericsAxisId. Built once; any thread may read it.
const std::vector<NumericsAxis>& numerics_axes();

/// The row of one axis.
const NumericsAxis& numerics_axis(NumericsAxisId id);

/// The axis of that name; empty if there is none.
std::optional<NumericsAxisId> find_numerics_axis(std::string_view name);

/// Index of the value with that text ("64/64" is "64"); empty if the axis has none such.
std::optional<int> find_numerics_value(const NumericsAxis& axis, std::string_view text);

/// Index of the value that stands for `number` (and `second`, on axes of pairs); empty if there is none such.
std::optional<int> find_numerics_number(NumericsAxisId id, int number, int second = 0);

/// What the values of axis mask_heads stand for: how many heads startend_row_indices has. A query head h reads mask
/// head h / (num_heads / mask heads).
enum class MaskHeads : std::uint8_t { one, per_kv_head, per_q_head };

/// Kernel generation of an axis value; `naive` is 0.
inline constexpr int kNaiveKernel = 0;

}  // namespace flashgate::matrix
