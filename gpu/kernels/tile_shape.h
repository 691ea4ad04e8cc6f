#pragma once

#include <cstdint>

namespace flashgate::gpu::kernels {

/// The tile shapes of v2. They change rounding order, never the verdict.
///
/// A block owns block_m query rows (forward, dQ) or block_n key columns (dK, dV) of one head and walks the other side
/// tile by tile. A warp owns 16 rows of what the block accumulates, the M of one mma; where backward has two warps per
/// 16 rows, each owns half of the columns, so that accumulators of head dim 256 still fit into registers.
struct TileShape
{
  int head_dim;               ///< of the instantiation: head dims up to it are padded with zeros in shared memory
  int block_m;                ///< query rows of a tile
  int block_n;                ///< key columns of a tile
  int backward_warp_columns;  ///< warps side by side over the columns of an accumulator
  int backward_stages;        ///< tiles of the walked side in shared memory at once
};

inline constexpr TileShape kTileShapes[] = {
    {32, 64, 64, 1, 2},  {64, 64, 64, 1, 2},  {96, 64, 64, 2, 2},  {128, 64, 64, 2, 2},
    {160, 64, 64, 2, 2}, {192, 64, 64, 2, 1}, {256, 64, 64, 2, 1},
};
inline constexpr int kHeadDimLargest = 256;

inline constexpr int kWarpLanes = 32;
inline constexpr int kMmaM = 16;          ///< mma.m16n8k16
inline constexpr int kMmaN = 8;           ///< mma.m16n8k16
inline constexpr int kMmaK = 16;          ///< mma.m16n8k16
inline constexpr int kLoadColumns = 16;   ///< columns of B that one ldmatrix.x4 brings: two mma
inline constexpr int kElementBytes = 2;   ///< bf16, fp16
inline constexpr int kChunkElements = 8;  ///< 16 bytes: what one cp.async and one row of ldmatrix move
inline constexpr int kSharedPadding = 8;  ///< elements behind a row, so that eight rows lie in different banks
inline constexpr int kMaskedRowsBytes = 16;
inline constexpr int kSharedBytesLimit = 163 * 1024;  ///< per block on sm_80

/// The shape of the smallest instantiation that holds both head dims; head_dim 0 if there is none.
constexpr TileShape tile_shape(int head_dim, int head_dim_v)
{
  for (const TileShape& shape : kTileShapes)
    if (head_dim <= shape.head_dim && head_dim_v <= shape.head_dim) return shape;
  return {};
}

constexpr int forward_threads(const TileShape& shape) { return shape.block_m / kMmaM * kWarpLanes; }
constexpr int backward_threads(const TileShape& shape)
{
  return shape.block_m / kMmaM * shape.backward_warp_columns * kWarpLanes;
}

constexpr int shared_tile_bytes(int rows, int columns) { return rows * (columns + kSharedPadding) * kElementBytes; }

/// Q, one tile of K and V each, and the bounds of the tile's columns.
constexpr int forward_shared_bytes(const TileShape& shape)
{
  return shared_tile_bytes(shape.block_m, shape.head_dim) + 2 * shared_tile_bytes(shape.block_n, shape.head_dim) +
         shape.block_n * kMaskedRowsBytes;
}

/// dK and dV: K, V, stages of Q and dO, P and dS, bounds.
constexpr int backward_keys_shared_bytes(const TileShape& shape)
{
  return 2 * shared_tile_bytes(shape.block_n, shape.head_dim) +
         shape.backward_stages * 2 * shared_tile_bytes(shape.block_m, shape.head_dim) +
         2 * shared_tile_bytes(shape.block_m, shape.block_n) + shape.block_n * kMaskedRowsBytes;
}

/// dQ: Q, dO, stages of K and V, dS, bounds of each stage.
constexpr int backward_queries_shared_bytes(const TileShape& shape)
{
  return 2 * shared_tile_bytes(shape.block_m, shape.head_dim) +
         shape.backward_stages * 2 * shared_tile_bytes(shape.block_n, shape.head_dim) +
         shared_tile_bytes(shape.block_m, shape.block_n) + shape.block_n * kMaskedRowsBytes;
}

constexpr bool is_possible(const TileShape& shape)
{
  const int warp_columns = shape.backward_warp_columns;
  return shape.block_m % kMmaM == 0 && shape.block_n == shape.block_m &&
         shape.block_n % (warp_columns * kLoadColumns) == 0 && shape.head_dim % (warp_columns * kLoadColumns) == 0 &&
         shape.backward_stages >= 1 && shape.backward_stages <= 2 && forward_shared_bytes(shape) <= kSharedBytesLimit &&
         backward_keys_shared_bytes(shape) <= kSharedBytesLimit &&
         backward_queries_shared_bytes(shape) <= kSharedBytesLimit;
}

constexpr bool all_are_possible()
{
  int last = 0;
  for (const TileShape& shape : kTileShapes) {
    if (!is_possible(shape) || shape.head_dim <= last) return false;
    last = shape.head_dim;
  }
  return last == kHeadDimLargest;
}
static_assert(all_are_possible(), "a tile that warps can't share out, that has no room, or a table out of order");

}  // namespace flashgate::gpu::kernels
