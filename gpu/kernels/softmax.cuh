#pragma once

#include <cmath>
#include <limits>

#include "gpu/kernels/masked_rows.cuh"
#include "gpu/kernels/warp_products.cuh"

// Scores to probabilities, in base 2: exp(x) = exp2(x log2(e)), with log2(e) folded into the scale of the scores. The
// roundings of scale and mask are fixed (no contraction), so that a tile has the same bits with the element test and
// without.

namespace flashgate::gpu::kernels {

inline constexpr float kLog2E = 1.44269504088896340736F;
inline constexpr float kLn2 = 0.69314718055994530942F;
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr std::uint32_t kAllLanes = 0xFFFFFFFFU;

/// S *= factor
template <int kColumns>
__device__ __forceinline__ void scale(Accumulator<kColumns>& s, float factor)
{
  for_each_element(s, [&](float& value, int, int) { value = __fmul_rn(value, factor); });
}

/// S = -inf where masked. `row` and `column` are where the warp's part of S begins, in the head and in the tile.
template <int kColumns, int kTileColumns>
__device__ __forceinline__ void mask(Accumulator<kColumns>& s, const MaskedRows (&tile)[kTileColumns], int row,
                                     int column)
{
  const int first_row = row + lane_row();
  for_each_element(s, [&](float& value, int r, int j) {
    if (masks(tile[column + j], first_row + r * kMatrixRows)) value = -kInfinity;
  });
}

/// What a lane keeps of its two rows between key tiles.
struct OnlineSoftmax
{
  float row_max[kRowsPerLane] = {-kInfinity, -kInfinity};
  float row_sum[kRowsPerLane] = {0.0F, 0.0F};  ///< of this lane's columns only
};

/// The four lanes of a row agree on the largest / the sum.
__device__ __forceinline__ float quad_max(float value)
{
  value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, 1));
  return fmaxf(value, __shfl_xor_sync(kAllLanes, value, 2));
}
__device__ __forceinline__ float quad_sum(float value)
{
  value += __shfl_xor_sync(kAllLanes, value, 1);
  return value + __shfl_xor_sync(kAllLanes, value, 2);
}

/// S becomes P = exp2(S - row maximum), and all that was summed before is rescaled to the new maximum. A row without a
/// visible key so far keeps its maximum at -inf and is computed relative to 0: every P is 0 then, and none a NaN.
template <int kColumns, int kOutColumns>
__device__ __forceinline__ void online_softmax(Accumulator<kColumns>& s, Accumulator<kOutColumns>& o,
                                               OnlineSoftmax& softmax)
{
  float base[kRowsPerLane];
  float rescale[kRowsPerLane];
  float largest[kRowsPerLane] = {softmax.row_max[0], softmax.row_max[1]};
  for_each_element(s, [&](float value, int r, int) { largest[r] = fmaxf(largest[r], value); });
#pragma unroll
  for (int r = 0; r < kRowsPerLane; ++r) {
    largest[r] = quad_max(largest[r]);
    base[r] = largest[r] == -kInfinity ? 0.0F : largest[r];
    rescale[r] = exp2f(softmax.row_max[r] - base[r]);
    softmax.row_max[r] = largest[r];
    softmax.row_sum[r] *= rescale[r];
  }
  for_each_element(s, [&](float& value, int r, int) { value = exp2f(value - base[r]); });
  for_each_element(s, [&](float value, int r, int) { softmax.row_sum[r] += value; });
  for_each_element(o, [&](float& value, int r, int) { value *= rescale[r]; });
}

/// What a finished row is stored with.
struct RowResult
{
  float factor;  ///< of O: 1 / row sum, 0 for a fully masked row
  float lse;     ///< natural log
};

__device__ __forceinline__ RowResult finish_row(float row_max, float row_sum, float lse_masked_row)
{
  const bool is_masked = row_sum == 0.0F;
  return {is_masked ? 0.0F : 1.0F / row_sum, is_masked ? lse_masked_row : (row_max + log2f(row_sum)) * kLn2};
}

}  // namespace flashgate::gpu::kernels
