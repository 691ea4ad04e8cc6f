#pragma once

#include <cstdint>

#include "reference/column_mask.h"
#include "reference/problem.h"

namespace flashgate::gpu::mutation {

/// A mask that is as hard as can be on kernels that class tiles: within each run of `tile` keys all columns share their
/// bounds, which lie on edges of query tiles, but for one column that has one of them a row off. So tiles are skipped,
/// full, or partial by a single element, and each minimum and maximum decides somewhere.
reference::ColumnMask tile_edge_mask(const reference::Problem& problem, int mask_heads, int bounds_per_column, int tile,
                                     std::uint64_t seed);

/// A mask whose columns know nothing of each other: every bound is any row.
reference::ColumnMask scattered_mask(const reference::Problem& problem, int mask_heads, int bounds_per_column,
                                     std::uint64_t seed);

}  // namespace flashgate::gpu::mutation
