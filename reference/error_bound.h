#pragma once

#include <vector>

#include "reference/attention.h"

namespace flashgate::reference {

/// How far a correct kernel may be from the oracle, per element. docs/tolerances.md derives every term; nothing here is
/// fitted to a kernel. The model of a correct kernel: inputs exact in the dtype; products exact; scores, row sums and
/// all accumulators fp32, in any order, rounded or truncated; P and dS rounded to the dtype before they are multiplied;
/// LSE in fp32; O and the gradients rounded to the dtype once. Bounds are worst case, not statistical: an element
/// beyond its bound is wrong, never unlucky.
///
/// A fully masked row has bound 0 for O, dQ and LSE: its results are exact. Where the oracle is NaN the bound is NaN.

struct BoundOptions
{
  int threads = 1;                        ///< workers over (batch, head)
  const BlockMask* block_mask = nullptr;  ///< not owned; nullptr: none
  /// Times that a partial sum of dK and dV is rounded to the dtype before the last addition: 1 for a version that
  /// rounds each query head under GQA, 1 for a reduction that rounds each rank, 2 for both.
  int partial_roundings = 0;
  int partial_sums = 1;  ///< partial sums per query head that such a rounding meets: 1, or the number of ranks
  /// Parts that the keys of a row come in, each with an O and LSE of its own that are merged, and a dQ of its own that
  /// is added (a ring of ranks). O and dQ of a part are rounded to the dtype, LSE to fp32. 1: all keys in one call.
  int key_parts = 1;
};

struct ForwardBound
{
  Tensor<double> o;
  Tensor<double> lse;
};

struct BackwardBound
{
  Tensor<double> dq;
  Tensor<double> dk;
  Tensor<double> dv;
  std::vector<double> dsink;
};

/// Bounds of O and LSE, given what the oracle's forward returned. Throws Error like attention_forward.
ForwardBound forward_error_bound(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                                 const AttentionOutputs& outputs, const BoundOptions& options = {});

/// Bounds of the gradients, for a kernel whose backward starts from its own forward's O and LSE: `forward` bounds
/// those. `outputs` and `gradients` are the oracle's. Throws Error like attention_backward.
BackwardBound backward_error_bound(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                                   const AttentionOutputs& outputs, const AttentionGradients& gradients,
                                   const ForwardBound& forward, const BoundOptions& options = {});

}  // namespace flashgate::reference
