#include "matrix/comparison.h"

#include <optional>

#include <doctest/doctest.h>

namespace flashgate::matrix {
namespace {

using Changes = std::vector<std::pair<ChangeKind, std::string>>;  // kind and check
using Compare = std::vector<CellChange> (*)(const CellResult&, const CellResult*);

CellResult served(const std::string& end)
{
  CellResult result;
  result.end = result.route = end;
  return result;
}

CellResult failing(const std::string& end, std::vector<CheckFailure> failures)
{
  CellResult result = served(end);
  result.failures = std::move(failures);
  return result;
}

CellResult raised(sim::Phase phase, std::vector<CheckFailure> failures = {})
{
  CellResult result = failing(std::string(phase_name(phase).text()) + " ValueError", std::move(failures));
  result.error_phase = phase;
  return result;
}

CellResult refused()
{
  CellResult result = raised(sim::Phase::forward);
  result.refused = true;
  return result;
}

CellResult executed(const std::string& figures)
{
  CellResult result = served("v3 / v3");
  result.executions = {{"v3/family=causal", figures}};
  return result;
}

CellResult flip_refused()
{
  CellResult result = raised(sim::Phase::second_forward);
  result.flip_refused = true;
  return result;
}

const CheckFailure kI3{"I3", Verdict::fail, false, "backward raises"};
const CheckFailure kI4{"I4", Verdict::fail, false, "deterministic on v3"};
const CheckFailure kI4Expected{"I4", Verdict::fail, true, "deterministic on v3"};
const CheckFailure kI5{"I5", Verdict::fail, false, "refused"};
const CheckFailure kI7Fails{"I7", Verdict::fail, false, "ranks differ"};
const CheckFailure kI7Hangs{"I7", Verdict::hang, false, "a rank waits"};

struct Row
{
  const char* what;
  CellResult base;
  std::optional<CellResult> head;
  Changes expected;
};

const std::vector<Row>& rows()
{
  using enum ChangeKind;
  using enum sim::Phase;
  static const std::vector<Row> all{
      {"the same", served("v3 / v3"), served("v3 / v3"), {{unchanged, ""}}},
      {"both refuse", refused(), refused(), {{unchanged, ""}}},
      {"a check fails now", served("v2 / v2"), failing("v3 / v3", {kI4}), {{regression, "I4"}}},
      {"backward fails now", served("v2 / v2"), raised(backward, {kI3}), {{regression, "I3"}}},
      {"a request is refused that a kernel exists for",
       served("v3 / v3"),
       raised(forward, {kI5}),
       {{regression, "I5"}}},
      {"a refusal becomes a wrong answer", refused(), failing("v3 / v3", {kI4}), {{regression, "I4"}}},
      {"a failure becomes a hang",
       failing("v3 / v3", {kI7Fails}),
       failing("v3 / v3", {kI7Hangs}),
       {{regression, "I7"}}},
      {"a hang becomes a failure",
       failing("v3 / v3", {kI7Hangs}),
       failing("v3 / v3", {kI7Fails}),
       {{unchanged_failure, "I7"}}},
      {"head has no result", served("v3 / v3"), std::nullopt, {{regression, "missing"}}},
      {"the error moves to backward", raised(forward, {kI5}), raised(backward, {kI3}), {{error_moved, "I3"}}},
      {"the error moves from import to backward", raised(import), raised(backward, {kI3}), {{error_moved, "I3"}}},
      {"the error moves, and no check minds", raised(forward), raised(backward), {{error_moved, ""}}},
      {"the error moves to forward", raised(backward, {kI3}), raised(forward), {{fix, "I3"}}},
      {"what was served is refused", served("v2 / v2"), refused(), {{support_lost, ""}}},
      {"what was served raises in second forward", served("v2 / v2"), raised(second_forward), {{support_lost, ""}}},
      {"flags flip, and head says no to that", served("v2 / v2"), flip_refused(), {{route_changed, ""}}},
      {"what was refused is served", refused(), served("v4 / v4"), {{support_gained, ""}}},
      {"other versions", served("v3 / v3"), served("v2 / v2"), {{route_changed, ""}}},
      {"an error in another phase of forward", raised(forward), raised(import), {{route_changed, ""}}},
      {"other figures on the same route", executed("max_abs 0.1"), executed("max_abs 0.2"), {{results_changed, ""}}},
      {"other figures, but also another route", executed("max_abs 0.1"), served("v2 / v2"), {{route_changed, ""}}},
      {"a check fails as before", failing("v3 / v3", {kI4}), failing("v3 / v3", {kI4}), {{unchanged_failure, "I4"}}},
      {"a check fails as before on another route",
       failing("v3 / v3", {kI4}),
       failing("v3 / v2", {kI4}),
       {{unchanged_failure, "I4"}, {route_changed, ""}}},
      {"a check is repaired", failing("v3 / v3", {kI4}), served("v2 / v2"), {{fix, "I4"}}},
      {"a wrong answer becomes a refusal", failing("v3 / v3", {kI4}), refused(), {{fix, "I4"}}},
      {"one repaired, one broken",
       failing("v3 / v3", {kI4}),
       raised(backward, {kI3}),
       {{regression, "I3"}, {fix, "I4"}}},
  };
  return all;
}

Changes found_by(Compare compare, const Row& row)
{
  Changes found;
  for (const CellChange& change : compare(row.base, row.head ? &*row.head : nullptr))
    found.emplace_back(change.kind, change.check_id);
  return found;
}

/// Rows on which a comparison finds what it should.
std::size_t agreeing_rows(Compare compare)
{
  std::size_t agreeing = 0;
  for (const Row& row : rows())
    agreeing += found_by(compare, row) == row.expected;
  return agreeing;
}

/// A comparison that takes every change of one kind for none.
template <ChangeKind kind>
std::vector<CellChange> blind_to(const CellResult& base, const CellResult* head)
{
  std::vector<CellChange> changes = compare_cell(base, head);
  for (CellChange& change : changes)
    if (change.kind == kind) change = {};
  return changes;
}

std::vector<CellChange> blind_to_routes(const CellResult& base, const CellResult* head)
{
  if (head == nullptr) return compare_cell(base, head);
  CellResult same_route = *head;
  same_route.route = base.route;
  return compare_cell(base, &same_route);
}

}  // namespace

TEST_CASE("what became of a cell, by its states at base and head")
{
  for (const Row& row : rows()) {
    CAPTURE(row.what);
    CHECK(found_by(compare_cell, row) == row.expected);
  }
}

TEST_CASE("a comparison that is blind to one kind of change is caught")
{
  using enum ChangeKind;
  const Compare saboteurs[] = {blind_to<regression>,        blind_to<error_moved>,    blind_to<support_lost>,
                               blind_to<results_changed>,   blind_to<route_changed>,  blind_to<fix>,
                               blind_to<unchanged_failure>, blind_to<support_gained>, blind_to_routes};
  REQUIRE(agreeing_rows(compare_cell) == rows().size());
  for (std::size_t i = 0; i < std::size(saboteurs); ++i) {
    CAPTURE(i);
    CHECK(agreeing_rows(saboteurs[i]) < rows().size());
  }
}

TEST_CASE("an expected failure is a regression that is expected")
{
  const CellResult head = failing("v3 / v3", {kI4Expected});
  const std::vector<CellChange> changes = compare_cell(served("v2 / v2"), &head);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].kind == ChangeKind::regression);
  CHECK(changes[0].expected);
}

TEST_CASE("a moved error is as expected as the failure it makes")
{
  CheckFailure expected = kI3;
  expected.expected = true;
  const CellResult head = raised(sim::Phase::backward, {expected});
  CHECK(compare_cell(raised(sim::Phase::forward), &head)[0].expected);
}

TEST_CASE("what fails the gate: regressions, moved errors, lost support, missing parity; and nothing else")
{
  using enum ChangeKind;
  for (const ChangeKind kind : {regression, error_moved, support_lost, parity})
    CHECK(fails_the_gate(kind));
  for (const ChangeKind kind : {results_changed, route_changed, unchanged_failure, fix, support_gained, unchanged})
    CHECK_FALSE(fails_the_gate(kind));
}

TEST_CASE("a pick behaves as dev only with the same failures, route and figures")
{
  const auto kind = [](const CellResult& dev, const CellResult& pick) { return compare_parity(dev, &pick).kind; };
  CHECK(kind(served("v3 / v3"), served("v3 / v3")) == ChangeKind::unchanged);
  CHECK(kind(failing("v3 / v3", {kI4}), failing("v3 / v3", {kI4Expected})) == ChangeKind::unchanged);
  CHECK(kind(failing("v3 / v3", {kI3, kI4}), failing("v3 / v3", {kI4, kI3})) == ChangeKind::unchanged);
  CHECK(kind(served("v3 / v3"), served("v2 / v2")) == ChangeKind::parity);
  CHECK(kind(failing("v3 / v3", {kI4}), served("v3 / v3")) == ChangeKind::parity);
  CHECK(kind(failing("v3 / v3", {kI7Hangs}), failing("v3 / v3", {kI7Fails})) == ChangeKind::parity);
  CHECK(kind(executed("max_abs 0.1"), executed("max_abs 0.2")) == ChangeKind::parity);
  CHECK(compare_parity(served("v3 / v3"), nullptr).kind == ChangeKind::parity);
}

}  // namespace flashgate::matrix
