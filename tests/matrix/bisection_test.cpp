#include "matrix/bisection.h"

#include <bit>

#include <doctest/doctest.h>

#include "matrix/cell_probe.h"
#include "matrix/checks.h"
#include "matrix/subjects.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

/// Commits 0 ... n-1 that are bad from `culprit` on; bit i of `broken`: commit i can't be asked.
Bisection bisect_history(std::size_t commits, std::size_t culprit, unsigned broken)
{
  return bisect(commits, [=](std::size_t at) {
    if ((broken >> at & 1) != 0) return CommitState::skipped;
    return at >= culprit ? CommitState::bad : CommitState::good;
  });
}

/// Answers as fleet-d, but can't be asked for head dim 80.
class HalfLoaded : public sim::Subject
{
 public:
  std::string name() const override { return "half-loaded"; }
  std::string description() const override { return "has a file that does not parse"; }
  void plan(const sim::Request& request, bool with_trace, sim::CellPlan& plan) const override
  {
    find_subject("model:fleet-d")->plan(request, with_trace, plan);
    if (request.head_dim.qk == 80)
      plan.rank(0).fail(sim::Phase::import, sim::subject_error(), sim::Symbol("SyntaxError"));
  }
};

}  // namespace

TEST_CASE("whatever can't be asked, the culprit is the first bad commit or a skipped one before it")
{
  for (std::size_t commits = 1; commits <= 8; ++commits)
    for (std::size_t culprit = 0; culprit < commits; ++culprit)
      for (unsigned broken = 0; broken < 1U << (commits - 1); ++broken) {
        const Bisection found = bisect_history(commits, culprit, broken);
        CAPTURE(commits);
        CAPTURE(culprit);
        CAPTURE(broken);
        REQUIRE(found.first_bad >= culprit);
        REQUIRE(found.first_bad - found.suspects.size() <= culprit);
        for (const std::size_t suspect : found.suspects) {
          REQUIRE(suspect < found.first_bad);
          REQUIRE((broken >> suspect & 1) != 0);
        }
        if (broken == 0) REQUIRE(found.first_bad == culprit);
        REQUIRE(found.skipped.size() <= static_cast<std::size_t>(std::popcount(broken)));
      }
}

TEST_CASE("a thousand commits need ten questions, and none is asked twice")
{
  for (const std::size_t culprit : {0, 1, 500, 998, 999}) {
    const Bisection found = bisect_history(1000, culprit, 0);
    CHECK(found.first_bad == culprit);
    CHECK(found.asked.size() <= 10);
  }
}

TEST_CASE("a single commit is the culprit without a question")
{
  const Bisection found = bisect_history(1, 0, 0);
  CHECK(found.first_bad == 0);
  CHECK(found.asked.empty());
}

TEST_CASE("a probe finds the cell on which the wanted check fails")
{
  const std::vector<Cell> cells{parse_cell("rr_flashmask"),
                                parse_cell("rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192")};
  const auto fails = [&](const char* subject, int check) { return probe(*find_subject(subject), cells, check); };
  const auto found = fails("model:fleet-d", find_check("I4"));
  REQUIRE(found);
  CHECK(found->cell == cells[1]);
  CHECK(found->check_id == "I4");
  CHECK(fails("model:fleet-d", -1));
  CHECK_FALSE(fails("model:fleet-d", find_check("I3")));
  CHECK_FALSE(fails("model:fleet-c", -1));
  CHECK(failing_cells(*find_subject("model:fleet-d"), cells, -1) == std::vector{cells[1]});
}

TEST_CASE("a cell that the subject could not be asked for is neither bad nor good")
{
  const HalfLoaded subject;
  const Cell unasked = parse_cell("rr_flashmask/head_dim=80");
  const Cell bad = parse_cell("rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192");
  CHECK_THROWS_WITH_AS(probe(subject, {unasked}, -1), "SyntaxError", Error);
  CHECK_THROWS_WITH_AS(probe(subject, {parse_cell("rr_flashmask"), unasked}, find_check("I4")), "SyntaxError", Error);
  CHECK(probe(subject, {unasked, bad}, -1)->cell == bad);
  CHECK_THROWS_WITH_AS(failing_cells(subject, {unasked}, -1), "SyntaxError", Error);
  CHECK(failing_cells(subject, {unasked, bad}, -1) == std::vector{bad});
}

}  // namespace flashgate::matrix
