// B27: the context-parallel path turns causal off, and leaves the index tensor empty when the user gave none.
#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "sim/context_parallel/index_map.h"
#include "tests/reference/small_cells.h"
#include "tests/sim/context_parallel_case.h"

namespace flashgate::sim {
namespace {

using namespace reference;

const Problem kCausal = small_problem(4, 4, Causal::bottom_right);

AttentionInputs inputs()
{
  return {Tensor<double>(1, 1, 4, 1), Tensor<double>(1, 1, 4, 1), column_of({0, 1, 2, 3}), {}};
}

/// Causal is dropped and nothing put in its place.
RankAttention leaky()
{
  RankAttention attention = all_gather_attention(oracle());
  const auto forward = attention.forward;
  attention.forward = [forward](RankContext& context, const RankCall& call) {
    RankCall without = call;
    without.mask = {};
    return forward(context, without);
  };
  return attention;
}

}  // namespace

TEST_CASE("B27: without columns, causal becomes columns and no future token leaks")
{
  const auto result = context_parallel_forward(kCausal, {}, inputs(), all_gather_attention(oracle()), {2});
  REQUIRE_FALSE(result.failure);
  for (int i = 0; i < 4; ++i) {
    CHECK(result.outputs.o(0, 0, i, 0) == doctest::Approx(0.5 * i));
    CHECK(result.outputs.lse(0, 0, i, 0) == doctest::Approx(std::log(i + 1.0)));
  }
}

TEST_CASE("B27: the columns of both ranks, and the bounds of eight rows")
{
  const ColumnMask whole = encode_noncausal(kCausal, {});
  CHECK(whole.startend_row_indices == std::vector<std::int32_t>{4, 0, 4, 1, 4, 2, 4, 3});
  const Problem local = small_problem(4, 4);
  const auto rank = [&](int r) {
    return localise(local, whole, rank_rows(RankLayout::zigzag, r, 2, 4)).startend_row_indices;
  };
  CHECK(rank(0) == std::vector<std::int32_t>{2, 0, 2, 1, 2, 1, 2, 1});
  CHECK(rank(1) == std::vector<std::int32_t>{2, 0, 2, 0, 2, 1, 2, 2});
  const int bounds[2][9] = {{0, 1, 2, 2, 2, 2, 2, 3, 4}, {0, 0, 0, 1, 2, 3, 4, 4, 4}};
  for (int r = 0; r < 2; ++r) {
    for (int x = 0; x <= 8; ++x)
      CHECK(local_bound(rank_rows(RankLayout::zigzag, r, 2, 8), x) == bounds[r][x]);
  }
}

TEST_CASE(
    "B27: with the columns left empty every row is the mean of all keys, and the comparison with one rank says so")
{
  const AttentionOutputs one = attention_forward(kCausal, {}, inputs());
  const auto result = context_parallel_forward(kCausal, {}, inputs(), leaky(), {2});
  for (int i = 0; i < 4; ++i)
    CHECK(result.outputs.o(0, 0, i, 0) == doctest::Approx(1.5));
  CHECK(result.outputs.o(0, 0, 0, 0) != one.o(0, 0, 0, 0));
}

}  // namespace flashgate::sim
