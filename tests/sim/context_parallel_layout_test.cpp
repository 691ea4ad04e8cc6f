#include <numeric>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "reference/error.h"
#include "sim/context_parallel/rank_layout.h"
#include "sim/context_parallel/sharded_collectives.h"

namespace flashgate::sim {
namespace {

using reference::Tensor;

/// Every element another integer, so that sums of them are exact.
Tensor<double> numbered(int batch, int heads, int seq, int dim, double first = 1)
{
  Tensor<double> tensor(batch, heads, seq, dim);
  std::iota(tensor.begin(), tensor.end(), first);
  return tensor;
}

bool equal(const Tensor<double>& a, const Tensor<double>& b)
{
  return a.same_shape(b) && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

TEST_CASE("rank r of n owns chunks r and 2n - 1 - r in zigzag, chunk r in contiguous")
{
  const RankRows zigzag = rank_rows(RankLayout::zigzag, 1, 4, 24);
  CHECK(zigzag.chunk_ids == std::vector<int>{1, 6});
  CHECK(zigzag.chunk_size == 3);
  CHECK(zigzag.global(2) == 5);
  CHECK(zigzag.global(3) == 18);
  const RankRows contiguous = rank_rows(RankLayout::contiguous, 1, 4, 24);
  CHECK(contiguous.chunk_ids == std::vector<int>{1});
  CHECK(contiguous.chunk_size == 6);
  CHECK(rank_rows(RankLayout::zigzag, 0, 1, 2).chunk_ids == std::vector<int>{0, 1});
}

TEST_CASE("a length that does not divide, and a rank that does not exist, are refused with the numbers")
{
  CHECK_THROWS_WITH_AS(rank_rows(RankLayout::zigzag, 0, 2, 6),
                       "context parallel, zigzag: the sequence length must be a multiple of 4, got 6", Error);
  CHECK_THROWS_WITH_AS(rank_rows(RankLayout::contiguous, 0, 2, 7),
                       "context parallel, contiguous: the sequence length must be a multiple of 2, got 7", Error);
  CHECK_THROWS_WITH_AS(rank_rows(RankLayout::zigzag, 4, 4, 8), "cp_rank must be in [0, cp_size), got 4 of 4", Error);
  CHECK_THROWS_AS(rank_rows(RankLayout::zigzag, 0, 0, 8), Error);
  CHECK_THROWS_AS(rank_rows(RankLayout::zigzag, 0, 1, 0), Error);
}

TEST_CASE("undispatch puts back what dispatch took, along any axis")
{
  CHECK(rc::check("round trip", [] {
    const int cp_size = *rc::gen::inRange(1, 9);
    const int axis = *rc::gen::inRange(0, 4);
    const RankLayout layout = *rc::gen::element(RankLayout::zigzag, RankLayout::contiguous);
    const int length = 2 * cp_size * *rc::gen::inRange(1, 4);
    const Tensor<double> whole = with_extent(numbered(2, 3, 2, 3), axis, length);
    Tensor<double> filled = whole;
    std::iota(filled.begin(), filled.end(), 1.0);
    Tensor<double> back = whole;
    for (int r = 0; r < cp_size; ++r) {
      const RankRows rows = rank_rows(layout, r, cp_size, length);
      undispatch(dispatch(filled, rows, axis), rows, back, axis);
    }
    RC_ASSERT(equal(back, filled));
  }));
}

TEST_CASE("dispatch takes global(i) as local row i and leaves padding alone")
{
  const Tensor<double> whole = numbered(1, 2, 11, 2);
  const RankRows rows = rank_rows(RankLayout::zigzag, 1, 2, 8);
  const Tensor<double> shard = dispatch(whole, rows);
  for (int i = 0; i < rows.count(); ++i)
    CHECK(shard(0, 1, i, 1) == whole(0, 1, rows.global(i), 1));
  CHECK_THROWS_AS(dispatch(numbered(1, 1, 7, 1), rank_rows(RankLayout::zigzag, 0, 2, 8)), Error);
  Tensor<double> target(1, 1, 8, 1);
  CHECK_THROWS_AS(undispatch(numbered(1, 1, 3, 1), rows, target), Error);
  CHECK_THROWS_WITH_AS(dispatch(whole, rows, 4), "axis must be 0, 1, 2 or 3, got 4", Error);
}

TEST_CASE("all_gather_balance rebuilds natural order on every rank, along any axis")
{
  for (const int axis : {0, 1, 2, 3}) {
    Tensor<double> whole = with_extent(numbered(2, 2, 2, 2), axis, 12);
    std::iota(whole.begin(), whole.end(), 1.0);
    std::vector<int> right(3);
    const RankGroupResult result = run_ranks(3, [&](RankContext& context) {
      const Tensor<double> shard = scatter_balance(whole, context.cp_rank(), context.cp_size(), axis);
      right[static_cast<std::size_t>(context.cp_rank())] = equal(all_gather_balance(context, shard, axis), whole);
    });
    CHECK_FALSE(result.failure);
    CHECK(right == std::vector<int>{1, 1, 1});
  }
}

TEST_CASE("reduce-scatter gives each rank its rows of the sum, in both layouts, along any axis")
{
  for (const int axis : {0, 1, 2, 3}) {
    const Tensor<double> shape = with_extent(numbered(2, 2, 2, 2), axis, 12);
    std::vector<int> right(3);
    const RankGroupResult result = run_ranks(3, [&](RankContext& context) {
      Tensor<double> mine = shape;
      std::iota(mine.begin(), mine.end(), 100.0 * context.cp_rank());
      Tensor<double> sum = shape;
      std::iota(sum.begin(), sum.end(), 0.0);
      for (double& element : sum)
        element = 3 * element + 300;
      const int r = context.cp_rank();
      const bool balance = equal(reduce_scatter_any_axis_balance(context, mine, axis),
                                 dispatch(sum, rank_rows(RankLayout::zigzag, r, 3, 12), axis));
      const bool plain = equal(reduce_scatter_any_axis(context, mine, axis),
                               dispatch(sum, rank_rows(RankLayout::contiguous, r, 3, 12), axis));
      right[static_cast<std::size_t>(r)] = balance && plain;
    });
    CHECK_FALSE(result.failure);
    CHECK(right == std::vector<int>{1, 1, 1});
  }
}

TEST_CASE("reduce-scatter with rounding rounds every rank's part and then the sum")
{
  // bf16 has 8 significant bits: 257 rounds to 256 (tie to even), three of them to 768; exact would be 771, 772
  // rounded.
  Tensor<double> sums(1, 1, 2, 1);
  run_ranks(2, [&](RankContext& context) {
    const Tensor<double> mine(1, 1, 4, 1, context.cp_rank() == 0 ? 257 : 514);
    const auto sum = reduce_scatter_rows(context, mine, RankLayout::zigzag, 2, reference::Dtype::bf16);
    if (context.cp_rank() == 0) sums = sum;
  });
  CHECK(sums(0, 0, 0, 0) == 768);
}

}  // namespace flashgate::sim
