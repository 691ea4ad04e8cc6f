#include "reference/mask_families.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "reference/mask_expand.h"

namespace flashgate::reference {
namespace {

using Columns = std::vector<int>;

/// Vector c of the only head.
Columns vector_of(const ColumnMask& mask, int c)
{
  Columns values;
  for (int j = 0; j < mask.seqlen_k; ++j)
    values.push_back(mask.bound(0, 0, j, c));
  return values;
}

Problem square(int seqlen, bool causal)
{
  Problem problem{.seqlen_q = seqlen, .seqlen_k = seqlen};
  if (causal) problem.causal = Causal::bottom_right;
  return problem;
}

/// The worked 10 x 10 example of flashmask_attention's docstring.
struct DocstringCase
{
  FamilySpec spec;
  std::vector<Columns> expected;
};

std::vector<DocstringCase> docstring_cases()
{
  const Columns ten(10, 10);
  const Columns documents = {4, 4, 4, 4, 7, 7, 7, 10, 10, 10};
  return {
      {{.family = Family::sliding_window, .encoding = {true, 1}, .window_left = 3},
       {{3, 4, 5, 6, 7, 8, 9, 10, 10, 10}}},
      {{.family = Family::causal_document, .encoding = {true, 1}, .lengths = {4, 3, 3}}, {documents}},
      {{.family = Family::document, .encoding = {false, 2}, .lengths = {4, 3, 3}},
       {documents, {0, 0, 0, 0, 4, 4, 4, 7, 7, 7}}},
      {{.family = Family::share_question, .encoding = {true, 1}, .lengths = {4, 3, 3}},
       {{10, 10, 10, 10, 7, 7, 7, 10, 10, 10}}},
      {{.family = Family::global_sliding_window,
        .encoding = {false, 4},
        .window_left = 1,
        .window_right = 1,
        .global_tokens = 2},
       {{10, 10, 4, 5, 6, 7, 8, 9, 10, 10}, ten, {0, 0, 0, 0, 2, 2, 2, 2, 2, 2}, {0, 0, 0, 0, 3, 4, 5, 6, 7, 8}}},
      {{.family = Family::causal_blockwise, .encoding = {true, 2}, .lengths = {4, 3, 3}},
       {{4, 4, 4, 4, 7, 7, 7, 10, 10, 10}, {7, 7, 7, 7, 7, 7, 7, 10, 10, 10}}},
      {{.family = Family::prefix_lm_document, .encoding = {false, 2}, .lengths = {3, 2, 5}, .prefixes = {2, 1, 2}},
       {{3, 3, 3, 5, 5, 10, 10, 10, 10, 10}, {0, 0, 2, 3, 4, 5, 5, 7, 8, 9}}},
      {{.family = Family::prefix_lm_causal, .encoding = {false, 2}, .prefix = 5},
       {ten, {0, 0, 0, 0, 0, 5, 6, 7, 8, 9}}},
      {{.family = Family::causal, .encoding = {true, 1}}, {ten}},
      {{.family = Family::full, .encoding = {false, 2}}, {ten, Columns(10, 0)}},
  };
}

}  // namespace

TEST_CASE("generators give the columns of the docstring examples")
{
  for (const DocstringCase& example : docstring_cases()) {
    CAPTURE(family_row(example.spec.family).name);
    const ColumnMask mask = make_mask(example.spec, square(10, example.spec.encoding.causal));
    REQUIRE(mask.bounds_per_column == static_cast<int>(example.expected.size()));
    for (int c = 0; c < mask.bounds_per_column; ++c)
      CHECK(vector_of(mask, c) == example.expected[static_cast<std::size_t>(c)]);
  }
}

TEST_CASE("qk_sparse masks what the docstring's columns mask")
{
  // The docstring writes its one kept column between the spans as the empty interval [5, 5); ours is [10, 10).
  const Problem problem = square(10, true);
  const FamilySpec spec{.family = Family::qk_sparse, .encoding = {true, 2}, .dropped = {{2, 3}, {6, 2}}};
  ColumnMask docstring = make_column_mask(1, 1, 10, 2);
  docstring.startend_row_indices = {10, 10, 10, 10, 2, 5, 3, 5, 4, 5, 5, 5, 6, 8, 7, 8, 10, 10, 10, 10};
  const ColumnMask ours = make_mask(spec, problem);
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) {
      CHECK(masked(problem, {ours}, 0, 0, i, j) == masked(problem, {docstring}, 0, 0, i, j));
    }
  }
}

TEST_CASE("generators are pure: the spec is untouched and the same call gives the same columns")
{
  for (const FamilyRow& row : families()) {
    const Encoding encoding = row.encodings.front();
    const Problem problem = square(96, encoding.causal);
    const FamilySpec spec = default_spec(row.family, encoding, problem, 1, 7);
    const std::vector<int> lengths = spec.lengths;
    const ColumnMask first = make_mask(spec, problem);
    const ColumnMask second = make_mask(default_spec(row.family, encoding, problem, 1, 7), problem);
    CHECK(first.startend_row_indices == second.startend_row_indices);
    CHECK(spec.lengths == lengths);
  }
}

TEST_CASE("families are found by their name and by nothing else")
{
  for (const FamilyRow& row : families())
    CHECK(find_family(row.name) == &family_row(row.family));
  CHECK(find_family("global_sliding") == nullptr);
  CHECK(families().size() == 20);
}

TEST_CASE("a spec that does not fit is refused by the family's name")
{
  const Problem problem = square(8, true);
  struct Refusal
  {
    FamilySpec spec;
    const char* line;
  };
  const Refusal refusals[] = {
      {{.family = Family::document, .encoding = {false, 4}}, "cannot be written"},
      {{.family = Family::document, .encoding = {false, 2}}, "causal differs"},
      {{.family = Family::causal_document, .encoding = {true, 1}, .mask_heads = 3}, "mask_heads"},
      {{.family = Family::causal_document, .encoding = {true, 1}, .lengths = {5, 4}}, "exceed"},
      {{.family = Family::random_eviction, .encoding = {true, 1}}, "eviction row"},
  };
  for (const Refusal& refusal : refusals) {
    CHECK_THROWS_WITH_AS(make_mask(refusal.spec, problem), doctest::Contains(refusal.line), Error);
  }
}

}  // namespace flashgate::reference
