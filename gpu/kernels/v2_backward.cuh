#pragma once

#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/tile_classes.cuh"

// What the two backward kernels of v2 share (FlashAttention-2, algorithm 2):
//
//   P = exp(S - LSE),  dP = dO V^T,  dS = P (dP - delta),  delta = rowsum(dO O)
//   dV = P^T dO,  dK = scale dS^T Q,  dQ = scale dS K
//
// v2_backward_keys.cuh owns key tiles and accumulates dK and dV, v2_backward_queries.cuh owns query tiles and
// accumulates dQ.

namespace flashgate::gpu::kernels {

/// Warps stand kWarpColumns side by side. Of a score tile each owns 16 rows and kScoreColumns columns, of an
/// accumulator 16 rows and kDimColumns columns.
template <int kHeadDim>
struct BackwardShape
{
  static constexpr TileShape kShape = tile_shape(kHeadDim, kHeadDim);
  static constexpr int kBlockM = kShape.block_m;
  static constexpr int kBlockN = kShape.block_n;
  static constexpr int kStages = kShape.backward_stages;
  static constexpr int kWarpColumns = kShape.backward_warp_columns;
  static constexpr int kThreads = backward_threads(kShape);
  static constexpr int kScoreColumns = kBlockN / kWarpColumns;
  static constexpr int kDimColumns = kHeadDim / kWarpColumns;
  static constexpr int kKeysSharedBytes = backward_keys_shared_bytes(kShape);
  static constexpr int kQueriesSharedBytes = backward_queries_shared_bytes(kShape);
  static_assert(kShape.head_dim == kHeadDim);
};

extern __shared__ uint4 shared_memory[];  // NOLINT: sized at launch

/// Where a warp's parts begin.
struct WarpPlace
{
  int row;           ///< of score tile and accumulator
  int score_column;  ///< of the score tile
  int dim_column;    ///< of the accumulator
};

template <typename Shape>
__device__ __forceinline__ WarpPlace warp_place()
{
  const int side = warp_index() % Shape::kWarpColumns;
  return {warp_index() / Shape::kWarpColumns * kMmaM, side * Shape::kScoreColumns, side * Shape::kDimColumns};
}

/// LSE in base 2 and delta of this lane's two rows.
struct RowStatistics
{
  float lse_log2[kRowsPerLane];
  float delta[kRowsPerLane];
};

/// Fully masked rows, whichever sign their LSE has, and rows behind the last get an LSE of +inf: all of their P is 0.
__device__ __forceinline__ RowStatistics load_statistics(const AttentionParameters& parameters, const QueryHead& place,
                                                         int first_row)
{
  const float* lse = row_values(parameters.lse, place.batch, place.head);
  const float* delta = row_values(parameters.delta, place.batch, place.head);
  RowStatistics rows;
#pragma unroll
  for (int r = 0; r < kRowsPerLane; ++r) {
    const int row = first_row + lane_row() + r * kMatrixRows;
    const bool exists = row < parameters.seqlen_q;
    const float value = exists ? lse[row] : kInfinity;
    rows.lse_log2[r] = fabsf(value) == kInfinity ? kInfinity : value * kLog2E;
    rows.delta[r] = exists ? delta[row] : 0.0F;
  }
  return rows;
}

/// P = exp2(S - LSE), in place.
template <int kColumns>
__device__ __forceinline__ void probabilities(Accumulator<kColumns>& s, const RowStatistics& rows)
{
  for_each_element(s, [&](float& value, int r, int) { value = exp2f(value - rows.lse_log2[r]); });
}

/// dS = P (dP - delta), in place of dP.
template <int kColumns>
__device__ __forceinline__ void score_gradients(Accumulator<kColumns>& dp, const Accumulator<kColumns>& p,
                                                const RowStatistics& rows)
{
#pragma unroll
  for (int n = 0; n < Accumulator<kColumns>::kFragments; ++n)
#pragma unroll
    for (int i = 0; i < kFragmentElements; ++i)
      dp.fragments[n][i] = p.fragments[n][i] * (dp.fragments[n][i] - rows.delta[i / 2]);
}

/// The four inputs of a query head.
template <typename Element>
struct BackwardInputs
{
  HeadRows<const Element> q, k, v, d_o;
};

template <typename Element>
__device__ __forceinline__ BackwardInputs<Element> backward_inputs(const AttentionParameters& parameters,
                                                                   const QueryHead& place)
{
  const int seqlen_q = parameters.seqlen_q;
  const int seqlen_k = parameters.seqlen_k;
  return {head_rows<const Element>(parameters.q, place.batch, place.head, seqlen_q, parameters.head_dim),
          head_rows<const Element>(parameters.k, place.batch, place.head_kv, seqlen_k, parameters.head_dim),
          head_rows<const Element>(parameters.v, place.batch, place.head_kv, seqlen_k, parameters.head_dim_v),
          head_rows<const Element>(parameters.d_o, place.batch, place.head, seqlen_q, parameters.head_dim_v)};
}

}  // namespace flashgate::gpu::kernels
