#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "reference/mask_expand.h"
#include "reference/mask_families.h"
#include "sim/context_parallel/index_map.h"
#include "tests/reference/drawn_problem.h"

namespace flashgate::sim {
namespace {

using reference::Causal;
using reference::ColumnMask;
using reference::Problem;

constexpr int kMin = std::numeric_limits<std::int32_t>::min();
constexpr int kMax = std::numeric_limits<std::int32_t>::max();

/// Owned rows before x, counted one by one: phi by its definition.
int owned_before(const RankRows& rows, std::int64_t x)
{
  int count = 0;
  for (int i = 0; i < rows.count(); ++i)
    count += rows.global(i) < x ? 1 : 0;
  return count;
}

/// The map holds for [s, e) if a local row lies between the mapped bounds exactly when its global row lies in [s, e).
bool map_holds(const RankRows& rows, int s, int e)
{
  const int begin = local_bound(rows, s);
  const int end = local_bound(rows, e);
  for (int i = 0; i < rows.count(); ++i) {
    const int g = rows.global(i);
    if ((s <= g && g < e) != (begin <= i && i < end)) return false;
  }
  return true;
}

struct Tally
{
  int intervals = 0;
  int wrong = 0;
};

void try_all_intervals(const RankRows& rows, int seqlen, Tally& tally)
{
  for (int s = 0; s <= seqlen; ++s) {
    for (int e = s; e <= seqlen; ++e) {
      ++tally.intervals;
      if (!map_holds(rows, s, e)) ++tally.wrong;
    }
  }
}

/// Masked elements of the shard by its local columns against the whole problem's, one by one.
bool same_elements(const Problem& problem, const ColumnMask& mask, const RankRows& rows)
{
  const ColumnMask encoded = encode_noncausal(problem, mask);
  Problem local = problem;
  local.causal = Causal::none;
  const ColumnMask columns = localise(local, encoded, rows);
  local.seqlen_q = rows.count();
  for (int b = 0; b < problem.batch; ++b) {
    for (int h = 0; h < problem.num_heads; ++h) {
      for (int i = 0; i < local.seqlen_q; ++i) {
        for (int j = 0; j < problem.seqlen_k; ++j) {
          if (masked(local, {columns}, b, h, i, j) != masked(problem, {mask}, b, h, rows.global(i), j)) return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

TEST_CASE("the map is exact for ascending chunk ids and all intervals of n <= 6, c <= 5, and wrong for descending ones")
{
  Tally ascending, descending;
  for (int n = 1; n <= 6; ++n) {
    for (int c = 1; c <= 5; ++c) {
      for (int a = 0; a < 2 * n; ++a) {
        for (int b = 0; b < 2 * n; ++b) {
          if (a != b) try_all_intervals({{a, b}, c}, 2 * n * c, a < b ? ascending : descending);
        }
      }
    }
  }
  CHECK(ascending.intervals + descending.intervals == 976780);
  CHECK(ascending.wrong == 0);
  CHECK(descending.wrong == 212310);
}

TEST_CASE("for ascending ids a mapped bound is the number of owned rows before it, whatever the int32")
{
  for (const RankRows& rows : {RankRows{{1, 2}, 4}, RankRows{{0, 3}, 4}, RankRows{{2}, 5}, RankRows{{0, 2, 3, 7}, 3}}) {
    for (int x = -3; x <= 30; ++x)
      CHECK(local_bound(rows, x) == owned_before(rows, x));
    // In int32, kMin - 7 * 3 would wrap to a large bound and show or hide every row.
    CHECK(local_bound(rows, kMin) == 0);
    CHECK(local_bound(rows, kMax) == rows.count());
  }
}

TEST_CASE("the worked bounds of two ranks on 16 rows")
{
  const RankRows inner = rank_rows(RankLayout::zigzag, 1, 2, 16);
  CHECK(local_bound(inner, 8) == 4);
  CHECK(local_bound(inner, 6) == 2);
  CHECK(local_bound(inner, 12) == 8);
  const RankRows outer = rank_rows(RankLayout::zigzag, 0, 2, 16);
  CHECK(local_bound(outer, 8) == 4);
  CHECK(local_bound(outer, 6) == 4);
  CHECK(local_bound(outer, 13) == 5);
}

TEST_CASE("localised columns mask the same elements, for every family, encoding and layout")
{
  reference::Draw draw(61);
  for (const reference::FamilyRow& family : reference::families()) {
    for (const reference::Encoding& encoding : family.encodings) {
      for (int n = 0; n < 6; ++n) {
        Problem problem = draw.mask_problem(encoding.causal);
        const int cp_size = draw.integer(1, 4);
        problem.seqlen_q = 2 * cp_size * draw.integer(1, 5);
        problem.seqlen_k = draw.integer(1, 40);
        const ColumnMask mask = make_mask(draw.spec(family.family, encoding, problem), problem);
        const RankLayout layout = draw.coin() ? RankLayout::zigzag : RankLayout::contiguous;
        const int cp_rank = draw.integer(0, cp_size - 1);
        CHECK_MESSAGE(same_elements(problem, mask, rank_rows(layout, cp_rank, cp_size, problem.seqlen_q)), family.name,
                      " causal ", encoding.causal, " bounds ", encoding.bounds_per_column);
      }
    }
  }
}

TEST_CASE("a causal call is encoded with two bounds, or four where it has a lower end")
{
  const Problem problem{.seqlen_q = 2, .seqlen_k = 4, .causal = Causal::bottom_right};
  CHECK(encode_noncausal(problem, {}).startend_row_indices == std::vector<std::int32_t>{2, 0, 2, 0, 2, 0, 2, 1});
  const ColumnMask one{1, 1, 4, 1, {2, 1, 2, 0}};
  CHECK(encode_noncausal(problem, one).startend_row_indices == std::vector<std::int32_t>{2, 0, 1, 0, 2, 0, 0, 1});
  const ColumnMask two{1, 1, 4, 2, {1, 2, 0, 0, 2, 1, 0, 2}};
  const std::vector<std::int32_t> four{1, 2, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 2, 0, 1};
  CHECK(encode_noncausal(problem, two).startend_row_indices == four);
  const ColumnMask already{1, 1, 4, 4, std::vector<std::int32_t>(16)};
  CHECK_THROWS_AS(encode_noncausal(problem, already), Error);
}

TEST_CASE("localise refuses what the map can't express, and says why")
{
  Problem problem{.seqlen_q = 16, .seqlen_k = 16};
  const ColumnMask mask = reference::make_column_mask(1, 1, 16, 2);
  const auto refusal = [&](const Problem& p, const ColumnMask& m, const RankRows& rows) -> std::string {
    try {
      localise(p, m, rows);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(refusal(problem, mask, {{0, 3}, 4}) == "accepted");
  CHECK(refusal(problem, mask, {{3, 0}, 4}).find("chunk ids must ascend") != std::string::npos);
  CHECK(refusal(problem, mask, {{1, 1}, 4}).find("chunk ids must ascend") != std::string::npos);
  CHECK(refusal(problem, mask, {{0, 3}, 3}).find("must divide") != std::string::npos);
  CHECK(refusal(problem, mask, {{0, 4}, 4}).find("lie in it") != std::string::npos);
  CHECK(refusal(problem, mask, {{}, 4}).find("at least one row") != std::string::npos);
  CHECK(refusal(problem, reference::make_column_mask(1, 1, 16, 1), {{0, 3}, 4}).find("one bound") != std::string::npos);
  problem.causal = Causal::bottom_right;
  CHECK(refusal(problem, mask, {{0, 3}, 4}).find("encode the mask non-causally") != std::string::npos);
}

}  // namespace flashgate::sim
