#pragma once

#include "gpu/kernels/v2_backward.cuh"

// dK and dV: a block owns kBlockN keys of one key/value head and walks all query tiles of all query heads of the group,
// so that a group is summed in fp32, in a fixed order. With kAddsDq it also adds its part of dQ to the fp32
// accumulators of each query tile, by atomics: whoever comes first, so the last bits of dQ vary from run to run.

namespace flashgate::gpu::kernels {

template <typename Element, int kHeadDim>
struct BackwardKeysShared
{
  using Shape = BackwardShape<kHeadDim>;
  SharedTile<Element, Shape::kBlockN, kHeadDim> k;
  SharedTile<Element, Shape::kBlockN, kHeadDim> v;
  SharedTile<Element, Shape::kBlockM, kHeadDim> q[Shape::kStages];
  SharedTile<Element, Shape::kBlockM, kHeadDim> d_o[Shape::kStages];
  SharedTile<Element, Shape::kBlockM, Shape::kBlockN> p;
  SharedTile<Element, Shape::kBlockM, Shape::kBlockN> ds;
  MaskedRows masked_rows[Shape::kBlockN];
};

/// The query tiles of a group one after the other: tile m of its head h is step h m_blocks + m.
struct QueryWalk
{
  const AttentionParameters& parameters;
  int batch;
  int head_kv;
  int n_block;
  int m_blocks;
  int block_m;

  __device__ __forceinline__ int steps() const { return group_size(parameters) * m_blocks; }
  __device__ __forceinline__ QueryHead head(int step) const
  {
    return query_head(parameters, batch, head_kv * group_size(parameters) + step / m_blocks);
  }
  __device__ __forceinline__ int first_row(int step) const { return step % m_blocks * block_m; }

  /// The first step from `step` on whose tile sees anything of the key tile.
  __device__ __forceinline__ TileStep next(int step) const
  {
    for (; step < steps(); ++step) {
      const TileBounds* tile = mask_head_tiles(parameters, head(step)) + n_block;
      const TileClass tile_class = class_of(parameters, tile, tile_rows(parameters, first_row(step), block_m));
      if (tile_class != TileClass::skipped) return {step, tile_class == TileClass::partial};
    }
    return {step, false};
  }
};

/// dQ accumulators += dS K for a warp's 16 rows, kLoadColumns columns at a time: registers are scarce here.
template <typename Shape, typename ScoreTile, typename KeyTile>
__device__ __forceinline__ void add_dq(const AttentionParameters& parameters, const QueryHead& place, int first_row,
                                       const WarpPlace& warp, const ScoreTile& ds, const KeyTile& k)
{
  const std::int64_t head = static_cast<std::int64_t>(place.batch) * parameters.num_heads + place.head;
  const std::int64_t row = head * parameters.seqlen_q + first_row + warp.row + lane_row();
  float* accumulator = global_pointer<float>(parameters.dq_accumulator) + row * parameters.dq_columns;
  const int rows_left = parameters.seqlen_q - (first_row + warp.row + lane_row());
#pragma unroll
  for (int column = 0; column < Shape::kDimColumns; column += kLoadColumns) {
    Accumulator<kLoadColumns> dq;
    multiply_ab(dq, ds, warp.row, k, warp.dim_column + column);
    for_each_element(dq, [&](float value, int r, int d) {
      float* place_of_row = accumulator + r * kMatrixRows * parameters.dq_columns;
      if (r * kMatrixRows < rows_left) atomicAdd(place_of_row + warp.dim_column + column + d, value);
    });
  }
}

/// dK and dV of this warp's 16 keys.
template <typename Element, int kColumns>
__device__ __forceinline__ void store_keys(const AttentionParameters& parameters, const QueryWalk& walk,
                                           const Accumulator<kColumns>& dk, const Accumulator<kColumns>& dv,
                                           int first_row, int first_column)
{
  const int seqlen_k = parameters.seqlen_k;
  const auto dk_rows = head_rows<Element>(parameters.dk, walk.batch, walk.head_kv, seqlen_k, parameters.head_dim);
  const auto dv_rows = head_rows<Element>(parameters.dv, walk.batch, walk.head_kv, seqlen_k, parameters.head_dim_v);
  const float scales[kRowsPerLane] = {parameters.softmax_scale, parameters.softmax_scale};
  const float ones[kRowsPerLane] = {1.0F, 1.0F};
  store_global(dk_rows, dk, scales, first_row, first_column);
  store_global(dv_rows, dv, ones, first_row, first_column);
}

template <typename Element, int kHeadDim, bool kAddsDq>
__device__ __forceinline__ void v2_backward_keys(const AttentionParameters& parameters)
{
  using Shape = BackwardShape<kHeadDim>;
  using Shared = BackwardKeysShared<Element, kHeadDim>;
  static_assert(sizeof(Shared) == Shape::kKeysSharedBytes);
  Shared& shared = *reinterpret_cast<Shared*>(shared_memory);

  const int n0 = static_cast<int>(blockIdx.x) * Shape::kBlockN;
  const QueryWalk walk{parameters,
                       static_cast<int>(blockIdx.z),
                       static_cast<int>(blockIdx.y),
                       static_cast<int>(blockIdx.x),
                       tile_count(parameters.seqlen_q, Shape::kBlockM),
                       Shape::kBlockM};
  const WarpPlace warp = warp_place<Shape>();
  const float scale_log2 = parameters.softmax_scale * kLog2E;
  const auto load_queries = [&](int step, int stage) {
    const auto inputs = backward_inputs<Element>(parameters, walk.head(step));
    load_tile<Shape::kThreads>(shared.q[stage], inputs.q, walk.first_row(step));
    load_tile<Shape::kThreads>(shared.d_o[stage], inputs.d_o, walk.first_row(step));
  };

  Accumulator<Shape::kDimColumns> dk;
  Accumulator<Shape::kDimColumns> dv;
  TileStep step = walk.next(0);
  if (step.index < walk.steps()) {
    const auto inputs = backward_inputs<Element>(parameters, walk.head(step.index));
    load_tile<Shape::kThreads>(shared.k, inputs.k, n0);
    load_tile<Shape::kThreads>(shared.v, inputs.v, n0);
    load_queries(step.index, 0);
    commit_copies();
  }
  int stage = 0;
  while (step.index < walk.steps()) {
    const QueryHead place = walk.head(step.index);
    const int m0 = walk.first_row(step.index);
    const TileStep next = walk.next(step.index + 1);
    const bool is_last = next.index >= walk.steps();

    if (Shape::kStages > 1 && !is_last) load_queries(next.index, (stage + 1) % Shape::kStages);
    commit_copies();
    if (step.is_partial) load_masked_rows(shared.masked_rows, parameters, place, n0);
    const RowStatistics rows = load_statistics(parameters, place, m0 + warp.row);
    wait_for_copies<1>();
    __syncthreads();  // Q, dO and the columns have come

    Accumulator<Shape::kScoreColumns> p;
    multiply_abt(p, shared.q[stage], warp.row, shared.k, warp.score_column);
    scale(p, scale_log2);
    if (step.is_partial) mask(p, shared.masked_rows, m0 + warp.row, warp.score_column);
    probabilities(p, rows);
    store_shared(shared.p, p, warp.row, warp.score_column);
    Accumulator<Shape::kScoreColumns> ds;
    multiply_abt(ds, shared.d_o[stage], warp.row, shared.v, warp.score_column);
    score_gradients(ds, p, rows);
    store_shared(shared.ds, ds, warp.row, warp.score_column);
    __syncthreads();  // P and dS are complete

    multiply_atb(dv, shared.p, warp.row, shared.d_o[stage], warp.dim_column);
    multiply_atb(dk, shared.ds, warp.row, shared.q[stage], warp.dim_column);
    if constexpr (kAddsDq) add_dq<Shape>(parameters, place, m0, warp, shared.ds, shared.k);
    __syncthreads();  // nobody reads Q, dO, P, dS and the columns any more
    if (Shape::kStages == 1 && !is_last) load_queries(next.index, 0);
    if (Shape::kStages == 1) commit_copies();
    step = next;
    stage = (stage + 1) % Shape::kStages;
  }
  store_keys<Element>(parameters, walk, dk, dv, n0 + warp.row, warp.dim_column);
}

}  // namespace flashgate::gpu::kernels
