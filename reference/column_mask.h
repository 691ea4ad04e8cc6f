#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flashgate::reference {

/// A FlashMask column mask as it crosses the boundary: `startend_row_indices` [batch, heads, seqlen_k,
/// bounds_per_column], int32, one tuple per key column, every value an absolute query row. Starts are inclusive, ends
/// exclusive, and rows inside an interval are masked (excluded). What a tuple means depends on causal:
///
///   causal     1  lt_start                            rows >= lt_start
///   causal     2  lt_start, lt_end                    rows [lt_start, lt_end)
///   non-causal 2  lt_start, ut_end                    rows >= lt_start and rows < ut_end
///   non-causal 4  lt_start, lt_end, ut_start, ut_end  rows [lt_start, lt_end) and rows [ut_start, ut_end)
///
/// bounds_per_column 0 is "no column mask"; startend_row_indices is empty then. Any int32 is a legal value: the rows it
/// names are simply intersected with [0, seqlen_q). Plain data; validate() says whether it fits a Problem.
struct ColumnMask
{
  int batch = 1;
  int heads = 1;  ///< 1, num_heads_kv or num_heads: query head h reads mask head h / (num_heads / heads)
  int seqlen_k = 0;
  int bounds_per_column = 0;  ///< 0, 1, 2 or 4
  std::vector<std::int32_t> startend_row_indices;

  bool empty() const { return bounds_per_column == 0; }

  /// Where the tuple of column j begins in startend_row_indices. REQUIRES: all indices in range.
  std::size_t offset(int b, int mask_head, int j) const
  {
    const std::size_t head =
        static_cast<std::size_t>(b) * static_cast<std::size_t>(heads) + static_cast<std::size_t>(mask_head);
    return (head * static_cast<std::size_t>(seqlen_k) + static_cast<std::size_t>(j)) *
           static_cast<std::size_t>(bounds_per_column);
  }

  std::int32_t bound(int b, int mask_head, int j, int c) const
  {
    return startend_row_indices[offset(b, mask_head, j) + static_cast<std::size_t>(c)];
  }
  std::int32_t& bound(int b, int mask_head, int j, int c)
  {
    return startend_row_indices[offset(b, mask_head, j) + static_cast<std::size_t>(c)];
  }
};

/// A column mask of that shape with every bound zero, for a generator to fill.
inline ColumnMask make_column_mask(int batch, int heads, int seqlen_k, int bounds_per_column)
{
  ColumnMask mask{batch, heads, seqlen_k, bounds_per_column, {}};
  mask.startend_row_indices.resize(mask.offset(batch, 0, 0));
  return mask;
}

}  // namespace flashgate::reference
