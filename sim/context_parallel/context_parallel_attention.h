#pragma once

#include <optional>

#include "sim/context_parallel/rank_attention.h"

namespace flashgate::sim {

/// A whole attention call, run by simulated ranks: dispatch, one RankAttention per rank, undispatch. Takes and returns
/// what reference/attention.h describes for one device, causal problems included, so the two compare directly.
struct ContextParallelOptions
{
  int cp_size = 1;
  RankLayout layout = RankLayout::zigzag;
  RankGroupOptions group{};
};

struct ContextParallelOutputs
{
  std::optional<RankGroupFailure> failure;  ///< outputs are empty if there is one
  reference::AttentionOutputs outputs;
};

struct ContextParallelGradients
{
  std::optional<RankGroupFailure> failure;  ///< gradients are empty if there is one
  reference::AttentionGradients gradients;
};

/// Throws Error if the lengths do not divide by the layout's chunks. REQUIRES: what reference::validate checks. An
/// exception inside a rank, local attention's included, is a failure in the result.
ContextParallelOutputs context_parallel_forward(const reference::Problem& problem, const reference::ColumnMask& mask,
                                                const reference::AttentionInputs& inputs,
                                                const RankAttention& attention, const ContextParallelOptions& options);

/// The same for gradients, from the outputs of a forward of the whole call. A rank's dsink is taken from rank 0.
ContextParallelGradients context_parallel_backward(const reference::Problem& problem, const reference::ColumnMask& mask,
                                                   const reference::AttentionInputs& inputs,
                                                   const reference::AttentionOutputs& outputs,
                                                   const RankAttention& attention,
                                                   const ContextParallelOptions& options);

}  // namespace flashgate::sim
