#pragma once

#include <vector>

#include "reference/block_mask.h"
#include "reference/column_mask.h"
#include "reference/problem.h"
#include "reference/tensor.h"

namespace flashgate::reference {

/// Attention in double precision: the oracle.
///
///   S = softmax_scale Q K^T on visible elements, L_i = log sum_j exp S_ij (and exp sink_h, if there is a sink),
///   P_ij = exp(S_ij - L_i), O = P V
///   delta_i = sum_d dO_id O_id, dP = dO V^T, dS = P (dP - delta)
///   dQ = softmax_scale dS K, dK = softmax_scale dS^T Q, dV = P^T dO, dsink_h = -sum_{b,i} exp(sink_h - L_i) delta_i
///
/// as in FlashAttention (Dao 2022) and FlashAttention-2 (Dao 2023), section 3.1. Query head h reads key/value head
/// h div (num_heads/num_heads_kv); dK and dV sum over the query heads of a group in ascending order.
///
/// A fully masked row has O = 0, LSE = -inf (LSE = sink with a sink), dQ = 0 and adds nothing to dK, dV and dsink. A
/// NaN or infinity at a masked element, or in padding, reaches nothing; one at a visible element does.
///
/// Work is tiled: a 64 x 64 tile without a visible element costs nothing, and memory grows with the lengths, never with
/// their product. Results do not depend on the number of threads.

/// What goes in. Shapes in problem.h; tensors may be longer than the problem's lengths (padding).
struct AttentionInputs
{
  Tensor<double> q;
  Tensor<double> k;
  Tensor<double> v;
  Tensor<double> d_o;          ///< gradient of O; backward only
  std::vector<double> sink{};  ///< one extra logit per query head, already scaled; empty: no sink
};

struct AttentionOutputs
{
  Tensor<double> o;    ///< [batch, num_heads, seqlen_q, head_dim_v]
  Tensor<double> lse;  ///< [batch, num_heads, seqlen_q, 1], natural log
};

struct AttentionGradients
{
  Tensor<double> dq;
  Tensor<double> dk;
  Tensor<double> dv;
  std::vector<double> dsink{};  ///< per query head; empty without a sink
};

struct AttentionOptions
{
  int threads = 1;                        ///< workers over (batch, head); at least 1
  const BlockMask* block_mask = nullptr;  ///< not owned; nullptr: none
};

/// O and LSE. Throws Error for what validate() refuses and for tensors that do not fit the problem.
AttentionOutputs attention_forward(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                                   const AttentionOptions& options = {});

/// Gradients, from the outputs of a forward (this one's, or another's that is being examined).
AttentionGradients attention_backward(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                                      const AttentionOutputs& outputs, const AttentionOptions& options = {});

/// Throws Error with one line if problem, mask or the shapes of the tensors do not fit each other. `backward` also
/// looks at d_o.
void validate(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
              const AttentionOptions& options, bool backward);

/// The same for the shapes of outputs that come from elsewhere.
void validate(const Problem& problem, const AttentionOutputs& outputs);

}  // namespace flashgate::reference
