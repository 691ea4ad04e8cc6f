#pragma once

#include <array>
#include <cstdint>

#include "reference/block_mask.h"
#include "reference/column_mask.h"
#include "reference/problem.h"

namespace flashgate::reference {

/// Expansion of a column mask: which elements (query row i, key column j) are masked. This is the definition the oracle
/// computes with; mask_rules states each family a second time, without columns, and the two are tested to agree.
///
/// The meaning of a column's bounds is in column_mask.h and docs/mask_semantics.md. Everything here is a pure function
/// of its arguments and REQUIRES what validate() checks. A mask is passed by reference and not kept.

/// Rows and columns of the tiles the oracle works in. One word of 64 bits holds a column of a tile.
constexpr int kTile = 64;

/// Half-open range of query rows; empty when end <= begin.
struct RowInterval
{
  int begin = 0;
  int end = 0;
};

/// A column mask together with the block mask that may come with it (nullptr: none).
struct MaskPair
{
  const ColumnMask& columns;
  const BlockMask* blocks = nullptr;
};

/// The rows of column j that are masked: lower interval, upper interval, causal. Not clipped to [0, seqlen_q).
std::array<RowInterval, 3> masked_rows(const Problem& problem, const ColumnMask& mask, int b, int mask_head, int j);

/// The mask head that query head h reads.
int mask_head(const Problem& problem, const ColumnMask& mask, int h);

/// True if query row i of head h must not see key j.
bool masked(const Problem& problem, const MaskPair& mask, int b, int h, int i, int j);

/// What a tile holds, by its visible elements.
enum class BlockClass {
  skipped_block,  ///< none visible
  partial_block,  ///< some visible
  full_block,     ///< every element inside the lengths visible
};

/// The visible elements of one 64 x 64 tile. Elements outside the lengths are not visible.
struct TileVisibility
{
  int rows = 0;     ///< rows of the tile inside seqlen_q
  int columns = 0;  ///< columns of the tile inside seqlen_k
  BlockClass block_class = BlockClass::skipped_block;
  std::array<std::uint64_t, kTile> column_words{};  ///< bit r of word c: element (r, c) is visible

  bool visible(int r, int c) const { return (column_words[static_cast<std::size_t>(c)] >> r & 1U) != 0; }
};

/// The tile whose first element is (m_block * 64, n_block * 64). Costs O(64), however long the sequences are.
TileVisibility expand_tile(const Problem& problem, const MaskPair& mask, int b, int h, int m_block, int n_block);

/// Tiles that cover `length` elements.
inline int tile_count(int length) { return (length + kTile - 1) / kTile; }

/// Visible keys of row i of head h; 0 makes it a fully masked row.
int visible_keys(const Problem& problem, const MaskPair& mask, int b, int h, int i);

/// Counts over all batches and heads.
struct VisibleArea
{
  std::int64_t elements = 0;     ///< visible elements
  std::int64_t tiles = 0;        ///< 64 x 64 tiles with a visible element
  std::int64_t total_tiles = 0;  ///< all tiles
  std::int64_t masked_rows = 0;  ///< rows with no visible key
  std::int64_t total_rows = 0;
};
VisibleArea visible_area(const Problem& problem, const MaskPair& mask);

}  // namespace flashgate::reference
