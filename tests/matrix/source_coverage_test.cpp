#include "matrix/source_coverage.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace flashgate::matrix {
namespace {

using Lines = std::shared_ptr<const sim::SourceLines>;

Lines lines(sim::SourceLines all) { return std::make_shared<const sim::SourceLines>(std::move(all)); }

sim::CellPlan plan_that_ran(const std::vector<Lines>& ranks)
{
  sim::CellPlan plan;
  plan.reset(static_cast<int>(ranks.size()));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    plan.rank(static_cast<int>(rank)).lines = ranks[rank];
  return plan;
}

TEST_CASE("a line counts once per cell, however many ranks ran it, and the first cell is its example")
{
  const Lines both = lines({{"a.py", {3, 4}}});
  const Lines one = lines({{"a.py", {4}}});
  SourceCoverage coverage;
  coverage.add(plan_that_ran({one}), 70);
  coverage.add(plan_that_ran({both, one, both}), 50);
  coverage.add(plan_that_ran({one}), 60);
  const std::vector<CoverageRow> rows = coverage.rows({});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].line == 3);
  CHECK(rows[0].hits == 1);
  CHECK(rows[0].example_cell == 50);
  CHECK(rows[1].line == 4);
  CHECK(rows[1].hits == 3);
  CHECK(rows[1].example_cell == 70);
}

TEST_CASE("what can run and did not has a row without hits, by file and line")
{
  SourceCoverage coverage;
  coverage.add(plan_that_ran({lines({{"b.py", {1}}})}), 7);
  coverage.add(plan_that_ran({nullptr}), 8);
  const std::vector<CoverageRow> rows = coverage.rows({{"a.py", {9}}, {"b.py", {1, 2}}});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].file == "a.py");
  CHECK(rows[0].hits == 0);
  CHECK(rows[0].example_cell == 0);
  CHECK(rows[1].hits == 1);
  CHECK(rows[2].line == 2);
  CHECK(rows[2].hits == 0);
}

}  // namespace
}  // namespace flashgate::matrix
