#pragma once

#include <algorithm>

#include "tests/gpu/programs/async_copy.cuh"
#include "tests/gpu/programs/tensor_core.cuh"

// FlashAttention-2 forward for sm_80: one block per 64 queries of a head, 16 queries per warp, 64 keys per step.
// S = Q K^T, P = softmax(S) row by row as the keys come in, O = P V. Head dim 64; any number of rows.

constexpr int kHeadDim = 64;
constexpr int kBlockM = 64;
constexpr int kBlockN = 64;
constexpr int kThreads = 128;
constexpr int kPitch = kHeadDim + 8;  // eight more, so that the rows of a matrix lie in different banks
constexpr float kSoftmaxScale = 0.125f;
constexpr float kScaleLog2 = kSoftmaxScale * 1.44269504f;

struct AttentionArguments
{
  const __nv_bfloat16* q;  ///< [heads, seqlen, head dim], as k, v and out
  const __nv_bfloat16* k;
  const __nv_bfloat16* v;
  __nv_bfloat16* out;
  float* lse;  ///< [heads, seqlen], natural logarithm
  int seqlen;
  bool causal;
};

/// What a lane keeps of its two rows, g and g + 8, of the warp's 16.
struct RowState
{
  float max[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0.0f, 0.0f};  ///< of this lane's columns only
};

/// Starts the copies of 64 rows from `first` on; rows past the end become zeros.
__device__ __forceinline__ void load_tile(__nv_bfloat16* tile, const __nv_bfloat16* head, int first, int seqlen)
{
#pragma unroll
  for (int i = threadIdx.x; i < kBlockN * kHeadDim / 8; i += kThreads) {
    const int row = i / (kHeadDim / 8);
    const int column = i % (kHeadDim / 8) * 8;
    const bool inside = first + row < seqlen;
    const __nv_bfloat16* source = head + (inside ? first + row : 0) * kHeadDim + column;
    copy_async_16_or_zero(&tile[row * kPitch + column], source, inside);
  }
}

/// s = Q(16 x 64) K^T(64 x 64) of one warp.
__device__ __forceinline__ void scores(float (&s)[kBlockN / 8][4], const __nv_bfloat16* q, const __nv_bfloat16* k)
{
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int d = 0; d < kHeadDim; d += 16) {
    unsigned a[4];
    load_matrices(a, &q[lane % 16 * kPitch + d + lane / 16 * 8]);
#pragma unroll
    for (int n = 0; n < kBlockN / 16; ++n) {
      unsigned b[4];
      load_matrices(b, &k[(n * 16 + lane / 16 * 8 + lane % 8) * kPitch + d + lane / 8 % 2 * 8]);  // FAULT: race-shared
      multiply_add(s[2 * n], a, b[0], b[1]);
      multiply_add(s[2 * n + 1], a, b[2], b[3]);
    }
  }
}

/// Hides keys past the end and, if causal, keys behind the query.
__device__ __forceinline__ void mask(float (&s)[kBlockN / 8][4], int row, int n0, int seqlen, bool causal)
{
  const int t = threadIdx.x % 4;
#pragma unroll
  for (int n = 0; n < kBlockN / 8; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int key = n0 + n * 8 + 2 * t + i % 2;
      if (key >= seqlen || (causal && key > row + i / 2 * 8)) s[n][i] = -INFINITY;
    }
  }
}

/// Turns scores into weights relative to the rows' new maxima and rescales what was summed before.
__device__ __forceinline__ void online_softmax(float (&s)[kBlockN / 8][4], float (&o)[kHeadDim / 8][4], RowState& state)
{
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float max = state.max[h];
#pragma unroll
    for (int n = 0; n < kBlockN / 8; ++n)
      max = fmaxf(max, fmaxf(s[n][2 * h], s[n][2 * h + 1]));
    max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 1));
    max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 2));
    const float rescale = exp2f((state.max[h] - max) * kScaleLog2);
    float sum = 0.0f;
#pragma unroll
    for (int n = 0; n < kBlockN / 8; ++n) {
#pragma unroll
      for (int i = 2 * h; i < 2 * h + 2; ++i) {
        s[n][i] = exp2f((s[n][i] - max) * kScaleLog2);
        sum += s[n][i];
      }
    }
    state.max[h] = max;
    state.sum[h] = state.sum[h] * rescale + sum;
#pragma unroll
    for (int d = 0; d < kHeadDim / 8; ++d) {
      o[d][2 * h] *= rescale;
      o[d][2 * h + 1] *= rescale;
    }
  }
}

/// o += P(16 x 64) V(64 x 64) of one warp; the weights, rounded to bf16, are the A operand as they are.
__device__ __forceinline__ void weigh(float (&o)[kHeadDim / 8][4], const float (&p)[kBlockN / 8][4],
                                      const __nv_bfloat16* v)
{
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int n = 0; n < kBlockN / 16; ++n) {
    const float(&left)[4] = p[2 * n];
    const float(&right)[4] = p[2 * n + 1];
    const unsigned a[4] = {pack(left[0], left[1]), pack(left[2], left[3]), pack(right[0], right[1]),
                           pack(right[2], right[3])};
#pragma unroll
    for (int d = 0; d < kHeadDim / 16; ++d) {
      unsigned b[4];
      load_matrices_transposed(b, &v[(n * 16 + lane % 16) * kPitch + d * 16 + lane / 16 * 8]);
      multiply_add(o[2 * d], a, b[0], b[1]);
      multiply_add(o[2 * d + 1], a, b[2], b[3]);
    }
  }
}

/// Writes this lane's part of the rows that exist.
__device__ __forceinline__ void store(const float (&o)[kHeadDim / 8][4], const RowState& state, __nv_bfloat16* out,
                                      float* lse, int row, int seqlen)
{
  const int t = threadIdx.x % 4;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float sum = state.sum[h];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    const int i = row + 8 * h;
    if (i >= seqlen) continue;
#pragma unroll
    for (int d = 0; d < kHeadDim / 8; ++d) {
      const unsigned pair = pack(o[d][2 * h] / sum, o[d][2 * h + 1] / sum);
      *reinterpret_cast<unsigned*>(&out[i * kHeadDim + d * 8 + 2 * t]) = pair;
    }
    if (t == 0) lse[i] = state.max[h] * kSoftmaxScale + logf(sum);
  }
}

template <bool kGood>
__global__ void __launch_bounds__(kThreads) attention_forward(AttentionArguments arguments)
{
  __shared__ alignas(16) __nv_bfloat16 tile_q[kBlockM * kPitch];
  __shared__ alignas(16) __nv_bfloat16 tile_k[kBlockN * kPitch];
  __shared__ alignas(16) __nv_bfloat16 tile_v[kBlockN * kPitch];
  const int seqlen = arguments.seqlen;
  const int m0 = blockIdx.x * kBlockM;
  const int head = blockIdx.y * seqlen * kHeadDim;
  const int warp = threadIdx.x / 32;
  const int row = m0 + warp * 16 + threadIdx.x % 32 / 4;
  const int end = arguments.causal ? min(m0 + kBlockM, seqlen) : seqlen;

  load_tile(tile_q, arguments.q + head, m0, seqlen);
  load_tile(tile_k, arguments.k + head, 0, seqlen);
  commit_copies();
  float o[kHeadDim / 8][4] = {};
  RowState state;
  for (int n0 = 0; n0 < end; n0 += kBlockN) {
    load_tile(tile_v, arguments.v + head, n0, seqlen);
    commit_copies();
    wait_for_copies<1>();  // the keys, and the queries before them
    __syncthreads();
    float s[kBlockN / 8][4] = {};
    scores(s, &tile_q[warp * 16 * kPitch], tile_k);  // FAULT: race-shared
    if constexpr (kGood) __syncthreads();
    if (n0 + kBlockN < end) load_tile(tile_k, arguments.k + head, n0 + kBlockN, seqlen);  // FAULT: race-shared
    commit_copies();
    mask(s, row, n0, seqlen, arguments.causal);
    online_softmax(s, o, state);
    wait_for_copies<1>();  // the values
    __syncthreads();
    weigh(o, s, tile_v);
    __syncthreads();
  }
  store(o, state, arguments.out + head, arguments.lse + blockIdx.y * seqlen, row, seqlen);
}
