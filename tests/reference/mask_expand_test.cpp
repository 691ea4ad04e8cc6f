#include "reference/mask_expand.h"

#include <limits>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "reference/mask_window.h"
#include "tests/reference/drawn_problem.h"

namespace flashgate::reference {
namespace {

/// A block mask with drawn blocks dropped.
BlockMask drawn_blocks(Draw& draw, const Problem& problem, int heads)
{
  BlockMask blocks = make_block_mask(problem.batch, heads, problem.seqlen_q, problem.seqlen_k);
  for (std::int32_t& keep : blocks.keep)
    keep = draw.integer(0, 1);
  return blocks;
}

/// Any int32 is a legal bound.
void scramble(Draw& draw, ColumnMask& mask, int rows)
{
  constexpr int kLowest = std::numeric_limits<std::int32_t>::min();
  constexpr int kHighest = std::numeric_limits<std::int32_t>::max();
  for (std::int32_t& bound : mask.startend_row_indices) {
    bound = draw.coin() ? draw.integer(-3, rows + 3) : draw.one_of({kLowest, kLowest + 1, -1, rows, kHighest});
  }
}

/// True if every word of every tile says what masked() says, and the class fits the words.
bool tiles_match(const Problem& problem, const MaskPair& mask, int b, int h)
{
  for (int i = 0; i < problem.seqlen_q; ++i) {
    for (int j = 0; j < problem.seqlen_k; ++j) {
      const TileVisibility tile = expand_tile(problem, mask, b, h, i / kTile, j / kTile);
      const bool visible = !masked(problem, mask, b, h, i, j);
      if (tile.visible(i % kTile, j % kTile) != visible) return false;
      if (visible && tile.block_class == BlockClass::skipped_block) return false;
      if (!visible && tile.block_class == BlockClass::full_block) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("tiles say what the element definition says, for any bounds and block mask")
{
  CHECK(rc::check("tiles", [] {
    Draw draw(*rc::gen::arbitrary<std::uint64_t>());
    const bool causal = draw.coin();
    const Problem problem = draw.mask_problem(causal);
    ColumnMask mask = make_column_mask(problem.batch, draw.mask_heads(problem), problem.seqlen_k,
                                       causal ? draw.integer(1, 2) : 2 * draw.integer(1, 2));
    scramble(draw, mask, problem.seqlen_q);
    const BlockMask blocks = drawn_blocks(draw, problem, mask.heads);
    const MaskPair pair{mask, draw.coin() ? &blocks : nullptr};
    RC_ASSERT(tiles_match(problem, pair, problem.batch - 1, problem.num_heads - 1));
  }));
}

TEST_CASE("one column, every encoding: starts are inclusive, ends exclusive")
{
  struct Row
  {
    Causal causal;
    std::vector<std::int32_t> bounds;
    std::vector<int> masked_rows;
  };
  const Row table[] = {
      {Causal::top_left, {3}, {3, 4, 5}},
      {Causal::top_left, {2, 4}, {2, 3}},
      {Causal::top_left, {4, 2}, {}},
      {Causal::none, {4, 1}, {0, 4, 5}},
      {Causal::none, {2, 3}, {0, 1, 2, 3, 4, 5}},
      {Causal::none, {1, 2, 4, 5}, {1, 4}},
      {Causal::none, {-9, -1, 5, 99}, {5}},
      {Causal::none, {0, 0, 6, 6}, {}},
  };
  for (const Row& row : table) {
    const Problem problem{.seqlen_q = 6, .seqlen_k = 1, .causal = row.causal};
    ColumnMask mask = make_column_mask(1, 1, 1, static_cast<int>(row.bounds.size()));
    mask.startend_row_indices = row.bounds;
    std::vector<int> found;
    for (int i = 0; i < 6; ++i) {
      if (masked(problem, {mask}, 0, 0, i, 0)) found.push_back(i);
    }
    CHECK(found == row.masked_rows);
  }
}

TEST_CASE("the causal corner matters exactly when lengths differ")
{
  const auto visible = [](Causal causal, int seqlen_q, int seqlen_k, int i) {
    return visible_keys({.seqlen_q = seqlen_q, .seqlen_k = seqlen_k, .causal = causal}, {ColumnMask{}}, 0, 0, i);
  };
  CHECK(visible(Causal::bottom_right, 2, 5, 0) == 4);
  CHECK(visible(Causal::top_left, 2, 5, 0) == 1);
  CHECK(visible(Causal::bottom_right, 5, 2, 2) == 0);
  CHECK(visible(Causal::bottom_right, 5, 2, 3) == 1);
  CHECK(visible(Causal::top_left, 5, 2, 2) == 2);
  for (int i = 0; i < 5; ++i)
    CHECK(visible(Causal::bottom_right, 5, 5, i) == visible(Causal::top_left, 5, 5, i));
}

TEST_CASE("mask heads are shared by blocks of query heads")
{
  const Problem problem{.num_heads = 6, .num_heads_kv = 2, .seqlen_q = 2, .seqlen_k = 1};
  for (const int heads : {1, 2, 6}) {
    const ColumnMask mask = make_column_mask(1, heads, 1, 2);
    for (int h = 0; h < 6; ++h)
      CHECK(mask_head(problem, mask, h) == h * heads / 6);
  }
}

TEST_CASE("a block mask of ones changes nothing and a zero drops its 128 x 128 block")
{
  const Problem problem{.seqlen_q = 130, .seqlen_k = 257, .head_dim = 128};
  ColumnMask mask = make_column_mask(1, 1, 257, 2);
  for (int j = 0; j < 257; ++j)
    mask.bound(0, 0, j, 0) = 130;
  BlockMask blocks = make_block_mask(1, 1, 130, 257);
  REQUIRE(blocks.keep.size() == 6);
  CHECK(visible_area(problem, {mask, &blocks}).elements == 130 * 257);
  blocks.keep[1] = 0;  // rows 0..127, columns 128..255
  CHECK(visible_area(problem, {mask, &blocks}).elements == 130 * 257 - 128 * 128);
  CHECK(masked(problem, {mask, &blocks}, 0, 0, 127, 128));
  CHECK_FALSE(masked(problem, {mask, &blocks}, 0, 0, 128, 128));
  CHECK_FALSE(masked(problem, {mask, &blocks}, 0, 0, 127, 127));
}

TEST_CASE("visible area counts elements, tiles and fully masked rows")
{
  const Problem problem{.num_heads = 2, .seqlen_q = 130, .seqlen_k = 128, .causal = Causal::bottom_right};
  const VisibleArea area = visible_area(problem, {ColumnMask{}});
  CHECK(area.elements == 2 * (128 * 129 / 2));
  CHECK(area.masked_rows == 2 * 2);
  CHECK(area.total_rows == 2 * 130);
  CHECK(area.total_tiles == 2 * 6);
  CHECK(area.tiles == 2 * 5);
}

TEST_CASE("window_size keeps both ends, and its quirks")
{
  Problem problem{.seqlen_q = 6, .seqlen_k = 6};
  const auto visible = [&](int left, int right, int i) {
    return visible_keys(problem, {window_mask(problem, left, right)}, 0, 0, i);
  };
  CHECK(visible(1, 2, 2) == 4);
  CHECK(visible(0, 0, 3) == 1);
  CHECK(visible(-1, -1, 3) == 0);
  problem.causal = Causal::bottom_right;
  CHECK(visible(2, 0, 5) == 3);
  CHECK(visible(-1, -1, 5) == 0);
  problem.seqlen_k = 9;
  CHECK(window_mask(problem, 1, 1).seqlen_k == problem.seqlen_q);
}

}  // namespace flashgate::reference
