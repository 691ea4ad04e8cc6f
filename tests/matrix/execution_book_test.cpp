#include "matrix/execution_book.h"

#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "matrix/reference_backend.h"

namespace flashgate::matrix {
namespace {

sim::RankPlan plan_of(int forward, int backward)
{
  sim::RankPlan plan;
  plan.forward.version = forward;
  plan.backward.version = backward;
  return plan;
}

const Cell kCell = parse_cell("rr_flashmask");

std::set<NumericsCase> pins_of(const sim::RankPlan& plan)
{
  const PlannedExecutions planned = planned_executions(kCell, plan);
  return {planned.pins.begin(), planned.pins.end()};
}

/// Records every case: passed, but for backward ones, of which the first warns and the others fail.
void record_all(const ExecutionSelection& selection, ExecutionBook& book)
{
  bool first = true;
  for (std::size_t n = 0; n < selection.cases().size(); ++n) {
    ExecutionResult result;
    if (is_backward(selection.cases()[n])) {
      result.findings.push_back({"numerics", first ? Verdict::mistrusted : Verdict::fail, "dQ: wrong"});
      first = false;
    }
    book.record(n, static_cast<std::int64_t>(n) + 100, result.findings);
  }
}

}  // namespace

TEST_CASE("a cell's executions are those of its plan's pins, with one finding per check, the worst")
{
  const ExecutionSelection selection(pins_of(plan_of(3, 3)), {});
  ExecutionBook book(selection);
  record_all(selection, book);
  const CellExecutions answer = book.judge(kCell, plan_of(3, 3));
  CHECK(answer.ids.size() == selection.cases().size());
  REQUIRE(answer.findings.size() == 1);
  CHECK(answer.worst == Verdict::fail);
  CHECK(answer.findings.front().detail.find("v3/") == 0);
  CHECK(answer.findings.front().detail.find("dQ: wrong") != std::string::npos);
  CHECK(answer.skips.empty());
  CHECK(book.judge(kCell, plan_of(3, 0)).worst == Verdict::pass);
}

TEST_CASE("what a cell needs and did not get is a skip with its reason, or missing; never a pass in silence")
{
  const ExecutionSelection selection(pins_of(plan_of(3, 3)), {});
  ExecutionBook book(selection);
  CHECK(book.judge(kCell, plan_of(3, 3)).worst == Verdict::missing);
  const CellExecutions mixed = book.judge(kCell, plan_of(3, 2));
  REQUIRE(mixed.skips.size() == 1);
  CHECK(mixed.skips.front().detail == "backward: mixed pair");
  const CellExecutions other = book.judge(kCell, plan_of(2, 2));
  REQUIRE(other.skips.size() == 2);
  CHECK(other.skips.front().detail == "forward: over the limit");
  CHECK(other.ids.empty());
}

TEST_CASE("what a backend refuses makes a cell a skip, and stands among its skips, not among its findings")
{
  const ExecutionSelection selection(pins_of(plan_of(3, 3)), {});
  ExecutionBook book(selection);
  for (std::size_t n = 0; n < selection.cases().size(); ++n) {
    ExecutionResult refused;
    refused.findings.push_back({"support", Verdict::skip, "kernel not built yet"});
    book.record(n, static_cast<std::int64_t>(n) + 100, std::move(refused.findings));
  }
  const CellExecutions answer = book.judge(kCell, plan_of(3, 2));
  CHECK(answer.findings.empty());
  CHECK(answer.worst == Verdict::skip);
  REQUIRE(answer.skips.size() == 2);
  CHECK(answer.skips[0].detail == "backward: mixed pair");
  CHECK(answer.skips[1].detail == "forward: kernel not built yet");
}

}  // namespace flashgate::matrix
