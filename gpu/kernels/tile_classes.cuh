#pragma once

#include "gpu/kernels/masked_rows.cuh"

// Which tiles are worth computing. Tiles are classed by minima and maxima over their columns (TileBounds), so a class
// may be too careful (partial) but is never wrong.

namespace flashgate::gpu::kernels {

enum class TileClass : int {
  skipped,  ///< every element is masked
  partial,  ///< element test needed
  full,     ///< every element is visible
};

/// Query rows [begin, end).
struct RowRange
{
  int begin;
  int end;
};

__device__ __forceinline__ RowRange tile_rows(const AttentionParameters& parameters, int first_row, int rows)
{
  const int left = parameters.seqlen_q - first_row;
  return {first_row, first_row + min(rows, left)};
}

__device__ __forceinline__ TileClass classify(const TileBounds& tile, const RowRange& rows)
{
  const bool lower_covers = rows.begin >= tile.lt_start_max && rows.end <= tile.lt_end_min;
  const bool upper_covers = rows.begin >= tile.ut_start_max && rows.end <= tile.ut_end_min;
  if (lower_covers || upper_covers) return TileClass::skipped;
  const bool lower_touches = rows.begin < tile.lt_end_max && rows.end > tile.lt_start_min;
  const bool upper_touches = rows.begin < tile.ut_end_max && rows.end > tile.ut_start_min;
  return lower_touches || upper_touches ? TileClass::partial : TileClass::full;
}

__device__ __forceinline__ int tile_count(int length, int tile) { return length / tile + (length % tile != 0); }

/// The TileBounds of a mask head, [key tiles].
__device__ __forceinline__ const TileBounds* mask_head_tiles(const AttentionParameters& parameters,
                                                             const QueryHead& place)
{
  const std::int64_t head = static_cast<std::int64_t>(place.batch) * parameters.column_bounds.heads + place.mask_head;
  const int tiles = tile_count(parameters.seqlen_k, parameters.tile_columns);
  return global_pointer<const TileBounds>(parameters.tile_bounds) + head * tiles;
}

/// The class of a tile; without skipping all are partial, and nobody reads the bounds.
__device__ __forceinline__ TileClass class_of(const AttentionParameters& parameters, const TileBounds* tile,
                                              const RowRange& rows)
{
  return parameters.skips_tiles ? classify(*tile, rows) : TileClass::partial;
}

/// A step of a walk over tiles. All threads of a block walk alike.
struct TileStep
{
  int index;  ///< of the tile; past the last one when the walk is over
  bool is_partial;
};

/// The first key tile from `index` on that these rows see anything of.
__device__ __forceinline__ TileStep next_key_tile(const AttentionParameters& parameters, const TileBounds* tiles,
                                                  const RowRange& rows, int index)
{
  const int count = tile_count(parameters.seqlen_k, parameters.tile_columns);
  for (; index < count; ++index) {
    const TileClass tile_class = class_of(parameters, tiles + index, rows);
    if (tile_class != TileClass::skipped) return {index, tile_class == TileClass::partial};
  }
  return {count, false};
}

}  // namespace flashgate::gpu::kernels
