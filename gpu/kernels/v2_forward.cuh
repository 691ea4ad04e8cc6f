#pragma once

#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/tile_classes.cuh"

// FlashAttention-2 (Dao 2023), algorithm 1, with the columns of FlashMask (Wang et al. 2024), for sm_80:
//
//   S = scale Q K^T,  P = softmax(S) where visible,  O = P V,  LSE = log sum exp S
//
// A block owns kBlockM rows of Q [seqlen_q, head_dim] and O [seqlen_q, head_dim_v] of one query head and walks K and V
// [seqlen_k, ...] in tiles of kBlockN keys, skipping those that it sees nothing of. While S is computed V is on its
// way; while O is computed the next K is.

namespace flashgate::gpu::kernels {

template <int kHeadDim>
struct ForwardShape
{
  static constexpr TileShape kShape = tile_shape(kHeadDim, kHeadDim);
  static constexpr int kBlockM = kShape.block_m;
  static constexpr int kBlockN = kShape.block_n;
  static constexpr int kThreads = forward_threads(kShape);
  static constexpr int kSharedBytes = forward_shared_bytes(kShape);
  static_assert(kShape.head_dim == kHeadDim);
};

template <typename Element, int kHeadDim>
struct ForwardShared
{
  using Shape = ForwardShape<kHeadDim>;
  SharedTile<Element, Shape::kBlockM, kHeadDim> q;
  SharedTile<Element, Shape::kBlockN, kHeadDim> k;
  SharedTile<Element, Shape::kBlockN, kHeadDim> v;
  MaskedRows masked_rows[Shape::kBlockN];
};

extern __shared__ uint4 shared_memory[];  // NOLINT: sized at launch

/// O and LSE of this warp's 16 rows.
template <typename Element, int kHeadDim>
__device__ __forceinline__ void store_rows(const AttentionParameters& parameters, const QueryHead& place,
                                           const Accumulator<kHeadDim>& o, const OnlineSoftmax& softmax, int first_row)
{
  const auto out =
      head_rows<Element>(parameters.o, place.batch, place.head, parameters.seqlen_q, parameters.head_dim_v);
  float* lse = row_values(parameters.lse, place.batch, place.head);
  float factor[kRowsPerLane];
#pragma unroll
  for (int r = 0; r < kRowsPerLane; ++r) {
    const float row_sum = quad_sum(softmax.row_sum[r]);
    const RowResult result = finish_row(softmax.row_max[r], row_sum, parameters.lse_masked_row);
    const int row = first_row + lane_row() + r * kMatrixRows;
    factor[r] = result.factor;
    if (row < parameters.seqlen_q && lane_column() == 0) lse[row] = result.lse;
  }
  store_global(out, o, factor, first_row, 0);
}

template <typename Element, int kHeadDim>
__device__ __forceinline__ void v2_forward(const AttentionParameters& parameters)
{
  using Shape = ForwardShape<kHeadDim>;
  using Shared = ForwardShared<Element, kHeadDim>;
  static_assert(sizeof(Shared) == Shape::kSharedBytes);
  Shared& shared = *reinterpret_cast<Shared*>(shared_memory);

  const QueryHead place = query_head(parameters, static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y));
  const auto q =
      head_rows<const Element>(parameters.q, place.batch, place.head, parameters.seqlen_q, parameters.head_dim);
  const auto k =
      head_rows<const Element>(parameters.k, place.batch, place.head_kv, parameters.seqlen_k, parameters.head_dim);
  const auto v =
      head_rows<const Element>(parameters.v, place.batch, place.head_kv, parameters.seqlen_k, parameters.head_dim_v);
  const int m0 = static_cast<int>(blockIdx.x) * Shape::kBlockM;
  const int warp_row = warp_index() * kMmaM;
  const RowRange rows = tile_rows(parameters, m0, Shape::kBlockM);
  const TileBounds* tiles = mask_head_tiles(parameters, place);
  const int n_blocks = tile_count(parameters.seqlen_k, Shape::kBlockN);
  const float scale_log2 = parameters.softmax_scale * kLog2E;

  Accumulator<kHeadDim> o;
  OnlineSoftmax softmax;
  TileStep n_block = next_key_tile(parameters, tiles, rows, 0);
  if (n_block.index < n_blocks) {
    load_tile<Shape::kThreads>(shared.q, q, m0);
    load_tile<Shape::kThreads>(shared.k, k, n_block.index * Shape::kBlockN);
    commit_copies();
  }
  while (n_block.index < n_blocks) {
    const int n0 = n_block.index * Shape::kBlockN;
    const TileStep next = next_key_tile(parameters, tiles, rows, n_block.index + 1);

    wait_for_copies<0>();
    __syncthreads();  // K has come; nobody reads V and the columns of the tile before any more
    load_tile<Shape::kThreads>(shared.v, v, n0);
    commit_copies();
    if (n_block.is_partial) load_masked_rows(shared.masked_rows, parameters, place, n0);
    Accumulator<Shape::kBlockN> s;
    multiply_abt(s, shared.q, warp_row, shared.k, 0);

    wait_for_copies<0>();
    __syncthreads();  // V and the columns have come; nobody reads K any more
    if (next.index < n_blocks) load_tile<Shape::kThreads>(shared.k, k, next.index * Shape::kBlockN);
    commit_copies();
    scale(s, scale_log2);
    if (n_block.is_partial) mask(s, shared.masked_rows, m0 + warp_row, 0);
    online_softmax(s, o, softmax);
    multiply_pb(o, s, shared.v);
    n_block = next;
  }
  store_rows<Element>(parameters, place, o, softmax, m0 + warp_row);
}

}  // namespace flashgate::gpu::kernels
