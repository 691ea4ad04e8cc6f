#include "reference/mask_expand.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace flashgate::reference {
namespace {

constexpr int kEveryRowBelow = std::numeric_limits<int>::max();
constexpr int kEveryRowAbove = std::numeric_limits<int>::min();

/// Bits [0, count) set; count is clamped to [0, 64].
std::uint64_t low_bits(std::int64_t count)
{
  if (count <= 0) return 0;
  return count >= kTile ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// The tile's part of a row interval as a word.
std::uint64_t rows_in_tile(const RowInterval& interval, int first_row)
{
  if (interval.end <= interval.begin) return 0;
  const std::int64_t begin = std::int64_t{interval.begin} - first_row;
  const std::int64_t end = std::int64_t{interval.end} - first_row;
  return low_bits(end) & ~low_bits(begin);
}

bool contains(const RowInterval& interval, int i) { return interval.begin <= i && i < interval.end; }

/// Causal as one more interval: the rows above the diagonal of column j. An int cannot overflow here, as lengths are
/// positive ints.
RowInterval causal_rows(const Problem& problem, int j)
{
  switch (problem.causal) {
    case Causal::none:
      return {};
    case Causal::bottom_right:
      return {kEveryRowAbove, j - (problem.seqlen_k - problem.seqlen_q)};
    case Causal::top_left:
      return {kEveryRowAbove, j};
  }
  return {};
}

/// Full means every element inside the lengths, so a short tile at the end can be full.
BlockClass classify(const TileVisibility& tile)
{
  const std::uint64_t all = low_bits(tile.rows);
  const auto end = tile.column_words.begin() + tile.columns;
  if (std::all_of(tile.column_words.begin(), end, [](std::uint64_t word) { return word == 0; })) {
    return BlockClass::skipped_block;
  }
  const bool full = std::all_of(tile.column_words.begin(), end, [all](std::uint64_t word) { return word == all; });
  return full ? BlockClass::full_block : BlockClass::partial_block;
}

/// A row counts as masked if no tile of its row of tiles shows any of its elements.
void add_head(const Problem& problem, const MaskPair& mask, int b, int h, VisibleArea& area)
{
  for (int m_block = 0; m_block < tile_count(problem.seqlen_q); ++m_block) {
    std::uint64_t rows_seen = 0;
    int rows = 0;
    for (int n_block = 0; n_block < tile_count(problem.seqlen_k); ++n_block) {
      const TileVisibility tile = expand_tile(problem, mask, b, h, m_block, n_block);
      rows = tile.rows;
      area.total_tiles += 1;
      area.tiles += tile.block_class != BlockClass::skipped_block ? 1 : 0;
      for (const std::uint64_t word : tile.column_words) {
        area.elements += std::popcount(word);
        rows_seen |= word;
      }
    }
    area.total_rows += rows;
    area.masked_rows += rows - std::popcount(rows_seen);
  }
}

}  // namespace

std::array<RowInterval, 3> masked_rows(const Problem& problem, const ColumnMask& mask, int b, int mask_head, int j)
{
  const RowInterval causal = causal_rows(problem, j);
  const bool has_causal = problem.causal != Causal::none;
  const auto bound = [&](int c) { return mask.bound(b, mask_head, j, c); };
  switch (mask.bounds_per_column) {
    case 1:
      return {RowInterval{bound(0), kEveryRowBelow}, RowInterval{}, causal};
    case 2:
      if (has_causal) return {RowInterval{bound(0), bound(1)}, RowInterval{}, causal};
      return {RowInterval{bound(0), kEveryRowBelow}, RowInterval{kEveryRowAbove, bound(1)}, causal};
    case 4:
      return {RowInterval{bound(0), bound(1)}, RowInterval{bound(2), bound(3)}, causal};
    default:
      return {RowInterval{}, RowInterval{}, causal};
  }
}

int mask_head(const Problem& problem, const ColumnMask& mask, int h) { return h / (problem.num_heads / mask.heads); }

bool masked(const Problem& problem, const MaskPair& mask, int b, int h, int i, int j)
{
  const int head = mask.columns.empty() ? 0 : mask_head(problem, mask.columns, h);
  for (const RowInterval& interval : masked_rows(problem, mask.columns, b, head, j)) {
    if (contains(interval, i)) return true;
  }
  return mask.blocks != nullptr && mask.blocks->drops(b, head, i, j);
}

TileVisibility expand_tile(const Problem& problem, const MaskPair& mask, int b, int h, int m_block, int n_block)
{
  const int first_row = m_block * kTile;
  const int first_column = n_block * kTile;
  const int head = mask.columns.empty() ? 0 : mask_head(problem, mask.columns, h);
  TileVisibility tile;
  tile.rows = std::min(kTile, problem.seqlen_q - first_row);
  tile.columns = std::min(kTile, problem.seqlen_k - first_column);
  // A tile never straddles a block: 64 divides 128.
  if (mask.blocks != nullptr && mask.blocks->drops(b, head, first_row, first_column)) return tile;
  for (int c = 0; c < tile.columns; ++c) {
    std::uint64_t hidden = 0;
    for (const RowInterval& interval : masked_rows(problem, mask.columns, b, head, first_column + c)) {
      hidden |= rows_in_tile(interval, first_row);
    }
    tile.column_words[static_cast<std::size_t>(c)] = low_bits(tile.rows) & ~hidden;
  }
  tile.block_class = classify(tile);
  return tile;
}

int visible_keys(const Problem& problem, const MaskPair& mask, int b, int h, int i)
{
  int count = 0;
  for (int j = 0; j < problem.seqlen_k; ++j)
    count += masked(problem, mask, b, h, i, j) ? 0 : 1;
  return count;
}

VisibleArea visible_area(const Problem& problem, const MaskPair& mask)
{
  VisibleArea area;
  for (int b = 0; b < problem.batch; ++b) {
    for (int h = 0; h < problem.num_heads; ++h)
      add_head(problem, mask, b, h, area);
  }
  return area;
}

}  // namespace flashgate::reference
