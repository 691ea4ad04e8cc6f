// The small kernels around the large ones:
//   flashmask_tile_bounds        TileBounds per key tile: a warp each; grid (tiles / kStepWarps, mask heads, batch)
//   attention_delta_*            delta = rowsum(dO O), and dQ's accumulators set to zero: a warp a row
//   attention_store_dq_*         dQ = scale accumulator, rounded: a warp a row; grid (rows / kStepWarps, heads, batch)
#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/step_shape.h"
#include "gpu/kernels/tile_classes.cuh"

namespace flashgate::gpu::kernels {
namespace {

/// The row or tile that this warp works on.
__device__ __forceinline__ int warp_item() { return static_cast<int>(blockIdx.x) * kStepWarps + warp_index(); }

__device__ __forceinline__ int head_index() { return static_cast<int>(blockIdx.y); }
__device__ __forceinline__ int batch_index() { return static_cast<int>(blockIdx.z); }

/// The fp32 accumulators of a row of dQ, dq_columns of them.
__device__ __forceinline__ float* dq_accumulators(const AttentionParameters& parameters, int row)
{
  const std::int64_t head = static_cast<std::int64_t>(batch_index()) * parameters.num_heads + head_index();
  const std::int64_t rows = head * parameters.seqlen_q + row;
  return global_pointer<float>(parameters.dq_accumulator) + rows * parameters.dq_columns;
}

__device__ __forceinline__ float warp_sum(float value)
{
#pragma unroll
  for (int distance = kWarpLanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
}

template <typename Element>
__device__ __forceinline__ void delta(const AttentionParameters& parameters)
{
  const int row = warp_item();
  if (row >= parameters.seqlen_q) return;
  const auto o =
      head_rows<const Element>(parameters.o, batch_index(), head_index(), parameters.seqlen_q, parameters.head_dim_v);
  const auto d_o =
      head_rows<const Element>(parameters.d_o, batch_index(), head_index(), parameters.seqlen_q, parameters.head_dim_v);
  float sum = 0.0F;
  for (int d = lane_index(); d < parameters.head_dim_v; d += kWarpLanes)
    sum += to_float(*d_o.at(row, d)) * to_float(*o.at(row, d));
  sum = warp_sum(sum);
  if (lane_index() == 0) row_values(parameters.delta, batch_index(), head_index())[row] = sum;
  if (parameters.dq_accumulator == 0) return;
  float* accumulators = dq_accumulators(parameters, row);
  for (int d = lane_index(); d < parameters.dq_columns; d += kWarpLanes)
    accumulators[d] = 0.0F;
}

template <typename Element>
__device__ __forceinline__ void store_dq(const AttentionParameters& parameters)
{
  const int row = warp_item();
  if (row >= parameters.seqlen_q) return;
  const auto dq =
      head_rows<Element>(parameters.dq, batch_index(), head_index(), parameters.seqlen_q, parameters.head_dim);
  const float* accumulators = dq_accumulators(parameters, row);
  for (int d = lane_index(); d < parameters.head_dim; d += kWarpLanes)
    *dq.at(row, d) = from_float<Element>(parameters.softmax_scale * accumulators[d]);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kStepThreads)
    flashmask_tile_bounds(const __grid_constant__ AttentionParameters parameters)
{
  const int tile = warp_item();
  const int tiles = tile_count(parameters.seqlen_k, parameters.tile_columns);
  if (tile >= tiles) return;
  const int* bounds = mask_head_bounds(parameters, batch_index(), head_index());
  MaskedRows least{INT_MAX, INT_MAX, INT_MAX, INT_MAX};
  MaskedRows most{INT_MIN, INT_MIN, INT_MIN, INT_MIN};
  for (int j = lane_index(); j < parameters.tile_columns; j += kWarpLanes) {
    const MaskedRows column = masked_rows(parameters, bounds, tile * parameters.tile_columns + j);
    least = {min(least.lt_start, column.lt_start), min(least.lt_end, column.lt_end),
             min(least.ut_start, column.ut_start), min(least.ut_end, column.ut_end)};
    most = {max(most.lt_start, column.lt_start), max(most.lt_end, column.lt_end), max(most.ut_start, column.ut_start),
            max(most.ut_end, column.ut_end)};
  }
  const TileBounds result{__reduce_min_sync(kAllLanes, least.lt_start), __reduce_max_sync(kAllLanes, most.lt_start),
                          __reduce_min_sync(kAllLanes, least.lt_end),   __reduce_max_sync(kAllLanes, most.lt_end),
                          __reduce_min_sync(kAllLanes, least.ut_start), __reduce_max_sync(kAllLanes, most.ut_start),
                          __reduce_min_sync(kAllLanes, least.ut_end),   __reduce_max_sync(kAllLanes, most.ut_end)};
  const std::int64_t head = static_cast<std::int64_t>(batch_index()) * parameters.column_bounds.heads + head_index();
  if (lane_index() == 0) global_pointer<TileBounds>(parameters.tile_bounds)[head * tiles + tile] = result;
}

extern "C" __global__ void __launch_bounds__(kStepThreads)
    attention_delta_bf16(const __grid_constant__ AttentionParameters parameters)
{
  delta<Bf16>(parameters);
}

extern "C" __global__ void __launch_bounds__(kStepThreads)
    attention_delta_fp16(const __grid_constant__ AttentionParameters parameters)
{
  delta<Fp16>(parameters);
}

extern "C" __global__ void __launch_bounds__(kStepThreads)
    attention_store_dq_bf16(const __grid_constant__ AttentionParameters parameters)
{
  store_dq<Bf16>(parameters);
}

extern "C" __global__ void __launch_bounds__(kStepThreads)
    attention_store_dq_fp16(const __grid_constant__ AttentionParameters parameters)
{
  store_dq<Fp16>(parameters);
}

}  // namespace flashgate::gpu::kernels
