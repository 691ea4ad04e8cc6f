#include "matrix/covering_array.h"

#include <algorithm>
#include <cstdint>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "matrix/covering_array_verifier.h"

namespace flashgate::matrix {
namespace {

/// The mixed model that generators were compared on.
RowModel measured_model() { return {{12, 8, 10, 6, 20, 5, 4, 3, 3, 2, 2, 2}, {}}; }

RowModel constrained_model()
{
  RowModel model = measured_model();
  model.rules = {
      {{0, 1}, [](const Row& row) { return row[0] != 3 || row[1] < 4; }},
      {{1, 4, 5}, [](const Row& row) { return row[1] != 2 || row[4] <= 10 || row[5] == 0; }},
      {{9, 10}, [](const Row& row) { return row[9] == 0 || row[10] == 0; }},
      {{10, 11}, [](const Row& row) { return row[10] == 1 || row[11] == 0; }},  // with the one above: 9 excludes 11
  };
  return model;
}

/// Rules that allow at random, so that some values, tuples, or everything may be impossible.
RowModel drawn_model()
{
  RowModel model;
  const int factors = *rc::gen::inRange(2, 7);
  for (int i = 0; i < factors; ++i)
    model.levels.push_back(*rc::gen::inRange(1, 5));
  const int rules = *rc::gen::inRange(0, 5);
  for (int i = 0; i < rules; ++i) {
    const int a = *rc::gen::inRange(0, factors), b = *rc::gen::inRange(0, factors);
    const unsigned pattern = *rc::gen::arbitrary<unsigned>() | *rc::gen::arbitrary<unsigned>();
    model.rules.push_back(
        {{a, b}, [=](const Row& row) { return (pattern >> static_cast<unsigned>(row[a] * 4 + row[b]) & 1U) != 0; }});
  }
  return model;
}

void check_sound(const RowModel& model, int strength, std::size_t largest)
{
  const CoveringArray array = covering_array(model, strength);
  const CoverageCount count = count_coverage(model, strength, array.rows);
  CHECK(count.uncovered == 0);
  CHECK(count.bad_rows == 0);
  CHECK(count.impossible == static_cast<std::int64_t>(array.impossible.size()));
  CHECK(array.rows.size() <= largest);
}

}  // namespace

TEST_CASE("arrays of the measured model are complete and within 10 % of 248 and 2,415 rows")
{
  check_sound(measured_model(), 2, 272);
  check_sound(measured_model(), 3, 2656);
}

TEST_CASE("arrays under constraints are complete")
{
  check_sound(constrained_model(), 2, 283);
  check_sound(constrained_model(), 3, 2656);
}

TEST_CASE("any small model gets a complete array without a row twice")
{
  const bool held = rc::check([] {
    const RowModel model = drawn_model();
    for (int strength = 1; strength <= std::min<int>(3, static_cast<int>(model.levels.size())); ++strength) {
      CoveringArray array = covering_array(model, strength);
      const CoverageCount count = count_coverage(model, strength, array.rows);
      RC_ASSERT(count.uncovered == 0);
      RC_ASSERT(count.bad_rows == 0);
      RC_ASSERT(count.impossible == static_cast<std::int64_t>(array.impossible.size()));
      std::ranges::sort(array.rows);
      RC_ASSERT(std::ranges::adjacent_find(array.rows) == array.rows.end());
    }
  });
  CHECK(held);
}

TEST_CASE("an array is the same each time")
{
  CHECK(covering_array(constrained_model(), 2).rows == covering_array(constrained_model(), 2).rows);
}

TEST_CASE("at full strength an array is the product")
{
  const RowModel model{{3, 2, 4}, {}};
  CHECK(covering_array(model, 3).rows.size() == 24);
  CHECK(covering_array(model, 1).rows.size() == 4);
}

TEST_CASE("a model that allows nothing has no rows and only impossible tuples")
{
  const RowModel model{{2, 2}, {{{}, [](const Row&) { return false; }}}};
  const CoveringArray array = covering_array(model, 2);
  CHECK(array.rows.empty());
  CHECK(array.impossible.size() == 4);
}

TEST_CASE("completion sees through a chain of rules")
{
  const RowModel model = constrained_model();
  const Completion completion(model);
  Row row(model.levels.size(), kOpen);
  row[9] = 1;
  CHECK(completion.possible(row));
  row[11] = 1;
  CHECK_FALSE(completion.possible(row));  // 9 forces 10 to 0, and that forces 11 to 0
  const Row before = row;
  CHECK_FALSE(completion.complete(row));
  CHECK(row == before);
  row[9] = kOpen;
  CHECK(completion.complete(row));
  CHECK(row[9] == 0);
  CHECK(row[10] == 1);
}

TEST_CASE("the verifier notices a missing row, a forbidden row and an unknown value")
{
  const RowModel model = constrained_model();
  const std::vector<Row> rows = covering_array(model, 2).rows;
  std::vector<Row> shorter(rows.begin() + 1, rows.end());
  CHECK(count_coverage(model, 2, shorter).uncovered > 0);

  std::vector<Row> forbidden = rows;
  forbidden.push_back(rows.front());
  forbidden.back()[9] = forbidden.back()[10] = 1;
  CHECK(count_coverage(model, 2, forbidden).bad_rows == 1);
  forbidden.back()[9] = 2;
  CHECK(count_coverage(model, 2, forbidden).bad_rows == 1);
  forbidden.back()[9] = kOpen;
  CHECK(count_coverage(model, 2, forbidden).bad_rows == 1);
}

TEST_CASE("the verifier counts by hand what two factors and three rows cover")
{
  const RowModel model{{2, 2}, {{{0, 1}, [](const Row& row) { return row[0] == 0 || row[1] == 0; }}}};
  const CoverageCount count = count_coverage(model, 2, {{0, 0}, {0, 1}});
  CHECK(count.tuples == 4);
  CHECK(count.covered == 2);
  CHECK(count.impossible == 1);
  CHECK(count.uncovered == 1);
}

}  // namespace flashgate::matrix
