#pragma once

#include <climits>

#include "gpu/kernels/head_rows.cuh"
#include "gpu/kernels/tile_shape.h"

// FlashMask as v2 sees it: every key column masks two intervals of query rows. One, two or four bounds, causal, and the
// end of the keys are all brought to that form once, so that neither the element test nor the classes of tiles know any
// special case. (The naive kernels read the table of docs/mask_semantics.md literally instead.)

namespace flashgate::gpu::kernels {

/// Rows [lt_start, lt_end) and [ut_start, ut_end) of a column are masked.
struct alignas(kMaskedRowsBytes) MaskedRows
{
  int lt_start, lt_end;
  int ut_start, ut_end;
};
static_assert(sizeof(MaskedRows) == kMaskedRowsBytes);

__device__ __forceinline__ bool masks(const MaskedRows& column, int row)
{
  const bool lower = (row >= column.lt_start) & (row < column.lt_end);  // no branches: this runs for every element
  const bool upper = (row >= column.ut_start) & (row < column.ut_end);
  return lower | upper;
}

/// Where the bounds of a mask head begin; nothing is read there if there is no column mask.
__device__ __forceinline__ const int* mask_head_bounds(const AttentionParameters& parameters, int batch, int mask_head)
{
  const ColumnBounds& bounds = parameters.column_bounds;
  const std::int64_t head = static_cast<std::int64_t>(batch) * bounds.heads + mask_head;
  return global_pointer<const int>(bounds.address) + head * parameters.seqlen_k * bounds.bounds_per_column;
}

/// Key column `column` of a mask head. A column behind the last key is masked for all rows.
__device__ __forceinline__ MaskedRows masked_rows(const AttentionParameters& parameters, const int* head_bounds,
                                                  int column)
{
  MaskedRows rows{INT_MAX, INT_MIN, INT_MAX, INT_MIN};  // both empty, and neutral to minima and maxima
  if (column >= parameters.seqlen_k) {
    rows.lt_start = INT_MIN;
    rows.lt_end = INT_MAX;
    return rows;
  }
  const int count = parameters.column_bounds.bounds_per_column;
  const int* bounds = head_bounds + static_cast<std::int64_t>(column) * count;
  if (count > 0) {
    rows.lt_start = bounds[0];
    rows.lt_end = INT_MAX;
  }
  if (count == 4 || (count == 2 && parameters.is_causal)) rows.lt_end = bounds[1];
  if (count == 2 && !parameters.is_causal) {
    rows.ut_start = INT_MIN;
    rows.ut_end = bounds[1];
  }
  if (count == 4) {
    rows.ut_start = bounds[2];
    rows.ut_end = bounds[3];
  }
  if (parameters.is_causal) {  // never with bounds of its own for the upper interval
    rows.ut_start = INT_MIN;
    rows.ut_end = column - parameters.causal_offset;
  }
  return rows;
}

/// Stages the columns of the tile that begins at `first_column` in shared memory, one thread each.
template <int kColumns>
__device__ __forceinline__ void load_masked_rows(MaskedRows (&tile)[kColumns], const AttentionParameters& parameters,
                                                 const QueryHead& place, int first_column)
{
  const int* bounds = mask_head_bounds(parameters, place.batch, place.mask_head);
  if (threadIdx.x < kColumns)
    tile[threadIdx.x] = masked_rows(parameters, bounds, first_column + static_cast<int>(threadIdx.x));
}

}  // namespace flashgate::gpu::kernels
