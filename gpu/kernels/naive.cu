// Attention the plain way, a thread a row, no shared memory, everything in fp32: the first rung when v2 disagrees.
//   naive_forward_*           O, LSE      a thread a query row   grid (query rows / kNaiveThreads, heads, batch)
//   naive_backward_queries_*  dQ          a thread a query row   the same grid
//   naive_backward_keys_*     dK, dV      a thread a key         grid (keys / kNaiveThreads, kv heads, batch)
// It reads masks by docs/mask_semantics.md, case by case, and shares nothing of that with v2.
#include "gpu/kernels/element.cuh"
#include "gpu/kernels/naive_row.cuh"
#include "gpu/kernels/step_shape.h"

namespace flashgate::gpu::kernels {
namespace {

template <typename Element>
__device__ __forceinline__ void naive_forward(const AttentionParameters& parameters)
{
  const int i = thread_row();
  if (i >= parameters.seqlen_q) return;
  const NaiveHead<Element> head(parameters, static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y));
  float o[kHeadDimLargest] = {};
  float row_max = -kNaiveInfinity;
  float row_sum = 0.0F;
  for (int j = 0; j < parameters.seqlen_k; ++j) {
    if (!head.sees(i, j)) continue;
    const float score = parameters.softmax_scale * head.dot(head.q, i, head.k, j);
    const float new_max = fmaxf(row_max, score);
    const float rescale = expf(row_max - new_max);
    const float p = expf(score - new_max);
    row_sum = row_sum * rescale + p;
    for (int d = 0; d < head.v.columns; ++d)
      o[d] = o[d] * rescale + p * to_float(*head.v.at(j, d));
    row_max = new_max;
  }
  const bool is_masked = row_sum == 0.0F;
  const auto out = head_rows<Element>(parameters.o, head.batch, head.head, parameters.seqlen_q, parameters.head_dim_v);
  for (int d = 0; d < out.columns; ++d)
    *out.at(i, d) = from_float<Element>(is_masked ? 0.0F : o[d] / row_sum);
  head.lse[i] = is_masked ? parameters.lse_masked_row : row_max + logf(row_sum);
}

template <typename Element>
__device__ __forceinline__ void naive_backward_queries(const AttentionParameters& parameters)
{
  const int i = thread_row();
  if (i >= parameters.seqlen_q) return;
  const NaiveHead<Element> head(parameters, static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y));
  float dq[kHeadDimLargest] = {};
  for (int j = 0; j < parameters.seqlen_k; ++j) {
    if (!head.sees(i, j)) continue;
    const float ds = head.probability(i, j) * (head.dot(head.d_o, i, head.v, j) - head.delta[i]);
    for (int d = 0; d < head.k.columns; ++d)
      dq[d] += ds * to_float(*head.k.at(j, d));
  }
  const auto out = head_rows<Element>(parameters.dq, head.batch, head.head, parameters.seqlen_q, parameters.head_dim);
  for (int d = 0; d < out.columns; ++d)
    *out.at(i, d) = from_float<Element>(parameters.softmax_scale * dq[d]);
}

/// Adds what query head `head` contributes to key j.
template <typename Element>
__device__ __forceinline__ void add_head(const NaiveHead<Element>& head, int j, float* dk, float* dv)
{
  for (int i = 0; i < head.q.row_count; ++i) {
    if (!head.sees(i, j)) continue;
    const float p = head.probability(i, j);
    const float ds = p * (head.dot(head.d_o, i, head.v, j) - head.delta[i]);
    for (int d = 0; d < head.v.columns; ++d)
      dv[d] += p * to_float(*head.d_o.at(i, d));
    for (int d = 0; d < head.k.columns; ++d)
      dk[d] += ds * to_float(*head.q.at(i, d));
  }
}

template <typename Element>
__device__ __forceinline__ void naive_backward_keys(const AttentionParameters& parameters)
{
  const int j = thread_row();
  if (j >= parameters.seqlen_k) return;
  const int batch = static_cast<int>(blockIdx.z);
  const int head_kv = static_cast<int>(blockIdx.y);
  float dk[kHeadDimLargest] = {};
  float dv[kHeadDimLargest] = {};
  for (int g = 0; g < group_size(parameters); ++g)
    add_head(NaiveHead<Element>(parameters, batch, head_kv * group_size(parameters) + g), j, dk, dv);
  const auto dk_rows = head_rows<Element>(parameters.dk, batch, head_kv, parameters.seqlen_k, parameters.head_dim);
  const auto dv_rows = head_rows<Element>(parameters.dv, batch, head_kv, parameters.seqlen_k, parameters.head_dim_v);
  for (int d = 0; d < dk_rows.columns; ++d)
    *dk_rows.at(j, d) = from_float<Element>(parameters.softmax_scale * dk[d]);
  for (int d = 0; d < dv_rows.columns; ++d)
    *dv_rows.at(j, d) = from_float<Element>(dv[d]);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kNaiveThreads)
    naive_forward_bf16(const __grid_constant__ AttentionParameters parameters)
{
  naive_forward<Bf16>(parameters);
}

extern "C" __global__ void __launch_bounds__(kNaiveThreads)
    naive_forward_fp16(const __grid_constant__ AttentionParameters parameters)
{
  naive_forward<Fp16>(parameters);
}

extern "C" __global__ void __launch_bounds__(kNaiveThreads)
    naive_backward_queries_bf16(const __grid_constant__ AttentionParameters parameters)
{
  naive_backward_queries<Bf16>(parameters);
}

extern "C" __global__ void __launch_bounds__(kNaiveThreads)
    naive_backward_queries_fp16(const __grid_constant__ AttentionParameters parameters)
{
  naive_backward_queries<Fp16>(parameters);
}

extern "C" __global__ void __launch_bounds__(kNaiveThreads)
    naive_backward_keys_bf16(const __grid_constant__ AttentionParameters parameters)
{
  naive_backward_keys<Bf16>(parameters);
}

extern "C" __global__ void __launch_bounds__(kNaiveThreads)
    naive_backward_keys_fp16(const __grid_constant__ AttentionParameters parameters)
{
  naive_backward_keys<Fp16>(parameters);
}

}  // namespace flashgate::gpu::kernels
