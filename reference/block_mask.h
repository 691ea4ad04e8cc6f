#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flashgate::reference {

/// Rows and columns of one block of a block mask. Fixed by the interface of flag version 3, not a tile size of a
/// kernel.
constexpr int kBlockMaskSize = 128;

/// A block mask as it crosses the boundary: int32 [batch, heads, ceil(seqlen_q/128), ceil(seqlen_k/128)].
/// **1 keeps a block, 0 drops it.** It only ever adds to a column mask: an element is masked if either masks it.
/// Plain data; validate() says whether it fits a Problem and its ColumnMask.
struct BlockMask
{
  int batch = 1;
  int heads = 1;  ///< must equal the column mask's heads
  int block_rows = 0;
  int block_columns = 0;
  std::vector<std::int32_t> keep;

  /// True if the block that element (i, j) lies in is dropped. REQUIRES: all indices in range.
  bool drops(int b, int mask_head, int i, int j) const
  {
    const std::size_t head =
        static_cast<std::size_t>(b) * static_cast<std::size_t>(heads) + static_cast<std::size_t>(mask_head);
    const std::size_t row = head * static_cast<std::size_t>(block_rows) + static_cast<std::size_t>(i / kBlockMaskSize);
    return keep[row * static_cast<std::size_t>(block_columns) + static_cast<std::size_t>(j / kBlockMaskSize)] == 0;
  }
};

/// Blocks that cover `length` elements.
inline int block_count(int length) { return (length + kBlockMaskSize - 1) / kBlockMaskSize; }

/// A block mask that keeps everything.
inline BlockMask make_block_mask(int batch, int heads, int seqlen_q, int seqlen_k)
{
  BlockMask mask{batch, heads, block_count(seqlen_q), block_count(seqlen_k), {}};
  const int blocks = batch * heads * mask.block_rows * mask.block_columns;
  mask.keep.assign(static_cast<std::size_t>(blocks), 1);
  return mask;
}

}  // namespace flashgate::reference
