#pragma once

#include <cmath>
#include <limits>

#include "gpu/kernels/element.cuh"
#include "gpu/kernels/head_rows.cuh"
#include "gpu/kernels/step_shape.h"

// What a row of the naive kernels sees of its head.

namespace flashgate::gpu::kernels {

inline constexpr float kNaiveInfinity = std::numeric_limits<float>::infinity();

/// The row that this thread works on.
__device__ __forceinline__ int thread_row()
{
  return static_cast<int>(blockIdx.x) * kNaiveThreads + static_cast<int>(threadIdx.x);
}

template <typename Element>
struct NaiveHead
{
  const AttentionParameters& parameters;
  int batch;
  int head;
  HeadRows<const Element> q, k, v, d_o;
  float* lse;
  const float* delta;
  const int* column_bounds;  ///< [seqlen_k, bounds_per_column]

  __device__ __forceinline__ NaiveHead(const AttentionParameters& p, int b, int h) : parameters(p), batch(b), head(h)
  {
    const QueryHead place = query_head(p, b, h);
    q = head_rows<const Element>(p.q, b, h, p.seqlen_q, p.head_dim);
    k = head_rows<const Element>(p.k, b, place.head_kv, p.seqlen_k, p.head_dim);
    v = head_rows<const Element>(p.v, b, place.head_kv, p.seqlen_k, p.head_dim_v);
    d_o = head_rows<const Element>(p.d_o, b, h, p.seqlen_q, p.head_dim_v);
    lse = row_values(p.lse, b, h);
    delta = row_values(p.delta, b, h);
    const std::int64_t mask_head = static_cast<std::int64_t>(b) * p.column_bounds.heads + place.mask_head;
    column_bounds =
        global_pointer<const int>(p.column_bounds.address) + mask_head * p.seqlen_k * p.column_bounds.bounds_per_column;
  }

  /// True if row i sees key j.
  __device__ __forceinline__ bool sees(int i, int j) const
  {
    if (parameters.is_causal && j > i + parameters.causal_offset) return false;
    const int count = parameters.column_bounds.bounds_per_column;
    const int* bounds = column_bounds + static_cast<std::int64_t>(j) * count;
    if (count == 0) return true;
    if (count == 1) return i < bounds[0];
    if (count == 4) return !(i >= bounds[0] && i < bounds[1]) && !(i >= bounds[2] && i < bounds[3]);
    if (parameters.is_causal) return !(i >= bounds[0] && i < bounds[1]);
    return i < bounds[0] && i >= bounds[1];
  }

  /// Row i of a with row j of b.
  __device__ __forceinline__ float dot(const HeadRows<const Element>& a, int i, const HeadRows<const Element>& b,
                                       int j) const
  {
    float sum = 0.0F;
    for (int d = 0; d < a.columns; ++d)
      sum += to_float(*a.at(i, d)) * to_float(*b.at(j, d));
    return sum;
  }

  /// P from the LSE that forward stored; only for keys that row i sees.
  __device__ __forceinline__ float probability(int i, int j) const
  {
    return expf(parameters.softmax_scale * dot(q, i, k, j) - lse[i]);
  }
};

}  // namespace flashgate::gpu::kernels
