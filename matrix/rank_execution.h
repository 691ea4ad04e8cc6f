#pragma once

#include <functional>

#include "matrix/backend.h"

namespace flashgate::matrix {

/// Attention on one device, as a backend has it: the calls that a case comes down to.
struct DeviceAttention
{
  std::function<reference::AttentionOutputs(const reference::Problem&, const reference::ColumnMask&,
                                            const reference::AttentionInputs&)>
      forward;
  std::function<reference::AttentionGradients(const reference::Problem&, const reference::ColumnMask&,
                                              const reference::AttentionInputs&, const reference::AttentionOutputs&)>
      backward;
};

/// Runs a case: its forward and, for a backward case, the backward from that forward's outputs. With cp_size above 1
/// the same on simulated ranks, zigzag layout, that gather K and V and reduce-scatter dK and dV, rounded to the dtype
/// per rank; one rank runs at a time, each on a thread of its own, and its problem is never causal. Throws
/// Deadlock if ranks wait for each other for ever, Error if one fails.
void run_attention(const KernelCall& call, const DeviceAttention& attention, KernelOutputs& outputs);

}  // namespace flashgate::matrix
