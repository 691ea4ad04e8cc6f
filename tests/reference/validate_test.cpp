#include "reference/validate.h"

#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "reference/attention.h"
#include "reference/error.h"

namespace flashgate::reference {
namespace {

Problem good_problem()
{
  return {
      .batch = 2, .num_heads = 4, .num_heads_kv = 2, .seqlen_q = 5, .seqlen_k = 130, .head_dim = 128, .head_dim_v = 64};
}

ColumnMask good_mask() { return make_column_mask(2, 2, 130, 4); }

BlockMask good_blocks() { return make_block_mask(2, 2, 5, 130); }

/// A change that makes good input bad, and the words its error must contain.
template <typename Input>
struct Refusal
{
  std::function<void(Input&)> spoil;
  const char* line;
};

}  // namespace

TEST_CASE("good input is accepted")
{
  CHECK_NOTHROW(validate(good_problem(), good_mask(), good_blocks()));
  CHECK_NOTHROW(validate(good_problem(), ColumnMask{}));
  CHECK_NOTHROW(validate(good_problem(), IndexTensor{"int32", {2, 4, 130, 2}}));
}

TEST_CASE("each bad problem gets its own line")
{
  const Refusal<Problem> refusals[] = {
      {[](Problem& p) { p.batch = 0; }, "batch must be positive, got 0"},
      {[](Problem& p) { p.num_heads = -1; }, "num_heads must be positive, got -1"},
      {[](Problem& p) { p.num_heads_kv = 0; }, "num_heads_kv must be positive"},
      {[](Problem& p) { p.seqlen_q = 0; }, "seqlen_q must be positive"},
      {[](Problem& p) { p.seqlen_k = 0; }, "seqlen_k must be positive"},
      {[](Problem& p) { p.head_dim = 0; }, "head_dim must be positive"},
      {[](Problem& p) { p.head_dim_v = 0; }, "head_dim_v must be positive"},
      {[](Problem& p) { p.num_heads = 3; }, "num_heads must be a multiple of num_heads_kv, got 3 and 2"},
      {[](Problem& p) { p.softmax_scale = 1.0 / 0.0; }, "softmax_scale must be finite"},
  };
  for (const auto& refusal : refusals) {
    Problem problem = good_problem();
    refusal.spoil(problem);
    CHECK_THROWS_WITH_AS(validate(problem), doctest::Contains(refusal.line), Error);
  }
}

TEST_CASE("each bad column mask gets its own line")
{
  const Refusal<ColumnMask> refusals[] = {
      {[](ColumnMask& m) { m.bounds_per_column = 1; }, "the last dimension must be 2 or 4 when causal is none, got 1"},
      {[](ColumnMask& m) { m.bounds_per_column = 3; }, "got 3"},
      {[](ColumnMask& m) { m.batch = 1; }, "dimension 0 (batch) must be 2, got 1"},
      {[](ColumnMask& m) { m.heads = 3; }, "dimension 1 (heads) must be 1, 2 or 4, got 3"},
      {[](ColumnMask& m) { m.seqlen_k = 5; }, "dimension 2 (seqlen_k) must be 130, got 5"},
      {[](ColumnMask& m) { m.startend_row_indices.pop_back(); }, "number of elements must be 2080, got 2079"},
      {[](ColumnMask& m) { m.bounds_per_column = 0; }, "bounds_per_column is 0"},
  };
  for (const auto& refusal : refusals) {
    ColumnMask mask = good_mask();
    refusal.spoil(mask);
    CHECK_THROWS_WITH_AS(validate(good_problem(), mask), doctest::Contains(refusal.line), Error);
  }
  Problem causal = good_problem();
  causal.causal = Causal::bottom_right;
  CHECK_THROWS_WITH_AS(validate(causal, good_mask()), doctest::Contains("1 or 2 when causal is bottom_right, got 4"),
                       Error);
}

TEST_CASE("each bad block mask gets its own line")
{
  const Refusal<BlockMask> refusals[] = {
      {[](BlockMask& m) { m.batch = 1; }, "dimension 0 (batch) must be 2, got 1"},
      {[](BlockMask& m) { m.heads = 4; }, "dimension 1 (heads of startend_row_indices) must be 2, got 4"},
      {[](BlockMask& m) { m.block_rows = 2; }, "dimension 2 (blocks of seqlen_q) must be 1, got 2"},
      {[](BlockMask& m) { m.block_columns = 1; }, "dimension 3 (blocks of seqlen_k) must be 2, got 1"},
      {[](BlockMask& m) { m.keep.pop_back(); }, "number of elements must be 8, got 7"},
      {[](BlockMask& m) { m.keep[3] = 2; }, "must be 0 or 1, got 2"},
  };
  for (const auto& refusal : refusals) {
    BlockMask blocks = good_blocks();
    refusal.spoil(blocks);
    CHECK_THROWS_WITH_AS(validate(good_problem(), good_mask(), blocks), doctest::Contains(refusal.line), Error);
  }
  Problem narrow = good_problem();
  narrow.head_dim = 64;
  CHECK_THROWS_WITH_AS(validate(narrow, good_mask(), good_blocks()), doctest::Contains("head_dim must be 128"), Error);
  CHECK_THROWS_WITH_AS(validate(good_problem(), ColumnMask{}, good_blocks()),
                       doctest::Contains("needs startend_row_indices"), Error);
}

TEST_CASE("an index tensor of another type or rank is refused before its shape is looked at")
{
  CHECK_THROWS_WITH_AS(validate(good_problem(), IndexTensor{"int64", {1}}), doctest::Contains("dtype must be int32"),
                       Error);
  CHECK_THROWS_WITH_AS(validate(good_problem(), IndexTensor{"int32", {2, 1, 130}}), doctest::Contains("rank must be 4"),
                       Error);
  CHECK_THROWS_WITH_AS(validate(good_problem(), IndexTensor{"int32", {2, 3, 130, 2}}), doctest::Contains("dimension 1"),
                       Error);
}

TEST_CASE("tensors that do not fit the problem are refused by name")
{
  const Problem p{.seqlen_q = 2, .seqlen_k = 3, .head_dim = 4, .head_dim_v = 5};
  const AttentionInputs good{Tensor<double>(1, 1, 2, 4),
                             Tensor<double>(1, 1, 3, 4),
                             Tensor<double>(1, 1, 3, 5),
                             Tensor<double>(1, 1, 2, 5),
                             {}};
  const Refusal<AttentionInputs> refusals[] = {
      {[](AttentionInputs& in) { in.q = Tensor<double>(1, 1, 1, 4); }, "q must be [1, 1, 2, 4]"},
      {[](AttentionInputs& in) { in.k = Tensor<double>(1, 2, 3, 4); }, "k must be [1, 1, 3, 4]"},
      {[](AttentionInputs& in) { in.v = Tensor<double>(1, 1, 3, 4); }, "v must be [1, 1, 3, 5]"},
      {[](AttentionInputs& in) { in.d_o = Tensor<double>(); }, "d_o must be [1, 1, 2, 5]"},
      {[](AttentionInputs& in) {
         in.sink = {1, 2};
       },
       "sink must have 1 elements, got 2"},
  };
  CHECK_NOTHROW(validate(p, ColumnMask{}, good, {}, true));
  for (const auto& refusal : refusals) {
    AttentionInputs inputs = good;
    refusal.spoil(inputs);
    CHECK_THROWS_WITH_AS(validate(p, ColumnMask{}, inputs, {}, true), doctest::Contains(refusal.line), Error);
  }
}

}  // namespace flashgate::reference
