#pragma once

#include "gpu/kernels/v2_backward.cuh"

// dQ in a fixed order: a block owns kBlockM query rows of one head and adds the key tiles up in ascending order, in
// registers. It computes S and dP a second time; in exchange no two runs differ, whatever the order of blocks.

namespace flashgate::gpu::kernels {

template <typename Element, int kHeadDim>
struct BackwardQueriesShared
{
  using Shape = BackwardShape<kHeadDim>;
  SharedTile<Element, Shape::kBlockM, kHeadDim> q;
  SharedTile<Element, Shape::kBlockM, kHeadDim> d_o;
  SharedTile<Element, Shape::kBlockN, kHeadDim> k[Shape::kStages];
  SharedTile<Element, Shape::kBlockN, kHeadDim> v[Shape::kStages];
  SharedTile<Element, Shape::kBlockM, Shape::kBlockN> ds;
  MaskedRows masked_rows[Shape::kBlockN];
};

template <typename Element, int kHeadDim>
__device__ __forceinline__ void v2_backward_queries(const AttentionParameters& parameters)
{
  using Shape = BackwardShape<kHeadDim>;
  using Shared = BackwardQueriesShared<Element, kHeadDim>;
  static_assert(sizeof(Shared) == Shape::kQueriesSharedBytes);
  Shared& shared = *reinterpret_cast<Shared*>(shared_memory);

  const QueryHead place = query_head(parameters, static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y));
  const auto inputs = backward_inputs<Element>(parameters, place);
  const int m0 = static_cast<int>(blockIdx.x) * Shape::kBlockM;
  const RowRange tile = tile_rows(parameters, m0, Shape::kBlockM);
  const TileBounds* tiles = mask_head_tiles(parameters, place);
  const int n_blocks = tile_count(parameters.seqlen_k, Shape::kBlockN);
  const WarpPlace warp = warp_place<Shape>();
  const RowStatistics rows = load_statistics(parameters, place, m0 + warp.row);
  const float scale_log2 = parameters.softmax_scale * kLog2E;
  const auto load_keys = [&](int n_block, int stage) {
    load_tile<Shape::kThreads>(shared.k[stage], inputs.k, n_block * Shape::kBlockN);
    load_tile<Shape::kThreads>(shared.v[stage], inputs.v, n_block * Shape::kBlockN);
  };

  Accumulator<Shape::kDimColumns> dq;
  TileStep n_block = next_key_tile(parameters, tiles, tile, 0);
  if (n_block.index < n_blocks) {
    load_tile<Shape::kThreads>(shared.q, inputs.q, m0);
    load_tile<Shape::kThreads>(shared.d_o, inputs.d_o, m0);
    load_keys(n_block.index, 0);
    commit_copies();
  }
  int stage = 0;
  while (n_block.index < n_blocks) {
    const TileStep next = next_key_tile(parameters, tiles, tile, n_block.index + 1);
    const bool is_last = next.index >= n_blocks;

    if (Shape::kStages > 1 && !is_last) load_keys(next.index, (stage + 1) % Shape::kStages);
    commit_copies();
    if (n_block.is_partial) load_masked_rows(shared.masked_rows, parameters, place, n_block.index * Shape::kBlockN);
    wait_for_copies<1>();
    __syncthreads();  // K, V and the columns have come

    Accumulator<Shape::kScoreColumns> p;
    multiply_abt(p, shared.q, warp.row, shared.k[stage], warp.score_column);
    scale(p, scale_log2);
    if (n_block.is_partial) mask(p, shared.masked_rows, m0 + warp.row, warp.score_column);
    probabilities(p, rows);
    Accumulator<Shape::kScoreColumns> ds;
    multiply_abt(ds, shared.d_o, warp.row, shared.v[stage], warp.score_column);
    score_gradients(ds, p, rows);
    store_shared(shared.ds, ds, warp.row, warp.score_column);
    __syncthreads();  // dS is complete

    multiply_ab(dq, shared.ds, warp.row, shared.k[stage], warp.dim_column);
    __syncthreads();  // nobody reads K, V, dS and the columns any more
    if (Shape::kStages == 1 && !is_last) load_keys(next.index, 0);
    if (Shape::kStages == 1) commit_copies();
    n_block = next;
    stage = (stage + 1) % Shape::kStages;
  }
  const auto out = head_rows<Element>(parameters.dq, place.batch, place.head, parameters.seqlen_q, parameters.head_dim);
  const float scales[kRowsPerLane] = {parameters.softmax_scale, parameters.softmax_scale};
  store_global(out, dq, scales, m0 + warp.row, warp.dim_column);
}

}  // namespace flashgate::gpu::kernels
