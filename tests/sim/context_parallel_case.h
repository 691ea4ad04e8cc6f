#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/attention.h"
#include "sim/context_parallel/context_parallel_attention.h"

namespace flashgate::sim {

/// A call and its answer on one rank, for comparisons with the same call on many.
struct ParallelCase
{
  reference::Problem problem;
  reference::ColumnMask mask;
  reference::AttentionInputs inputs;
  reference::AttentionOutputs outputs;      ///< the oracle's
  reference::AttentionGradients gradients;  ///< the oracle's
};

constexpr int kExactHeadDim = 4;

/// Data on which every step of attention is exact in double, forward, merge and backward, and nothing vanishes: scores
/// are -1024 (g_i - g_j)^2 for integer labels g of rows and keys, so keys of another label weigh exp(-1024) = 0, and
/// each label belongs to two keys half a sequence apart, so a row sees one or two keys with weights 1 or 1/2 and LSE 0
/// or log 2, however the sums are ordered. A row's label is that of a visible key, drawn. V and dO are small integers.
/// REQUIRES: problem.head_dim == kExactHeadDim.
ParallelCase exact_case(const reference::Problem& problem, const reference::ColumnMask& mask, std::uint64_t seed);

/// Uniform inputs: sums are rounded, their order shows.
ParallelCase uniform_case(const reference::Problem& problem, const reference::ColumnMask& mask, std::uint64_t seed);

/// The oracle as local attention.
LocalAttention oracle();

/// The five tensors a comparison covers.
constexpr std::array<std::string_view, 5> kTensors = {"o", "lse", "dq", "dk", "dv"};

/// What a comparison with one rank says: the first tensor that differs, or what stopped the group; empty if neither.
struct Finding
{
  std::string tensor;  ///< one of kTensors
  std::optional<RankGroupFailure> failure;

  bool clean() const { return tensor.empty() && !failure; }
};

/// Runs forward on cp_size ranks and backward from the oracle's outputs, and compares bit for bit.
Finding compare_bits(const ParallelCase& c, const RankAttention& attention, const ContextParallelOptions& options);

/// The same within reorder_bound.
Finding compare_bounded(const ParallelCase& c, const RankAttention& attention, const ContextParallelOptions& options);

/// How far two evaluations in double that differ in the order of their sums may be apart, per tensor in the order of
/// kTensors; docs/context_parallel.md derives it.
std::array<double, 5> reorder_bound(const ParallelCase& c, int cp_size);

}  // namespace flashgate::sim
