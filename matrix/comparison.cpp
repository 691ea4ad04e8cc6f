#include "matrix/comparison.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace flashgate::matrix {
namespace {

constexpr std::string_view kMissing = "missing";

const CheckFailure* find_failure(const CellResult& result, const std::string& check_id)
{
  for (const CheckFailure& failure : result.failures)
    if (failure.check_id == check_id) return &failure;
  return nullptr;
}

bool fails_in_forward(const CellResult& result)
{
  return result.error_phase != sim::Phase::none && result.error_phase != sim::Phase::backward;
}

std::string arrow(const std::string& from, const std::string& to) { return fmt::format("{} → {}", from, to); }

/// In short where that says the difference, else in full.
std::string route_arrow(const CellResult& base, const CellResult& head)
{
  return base.end != head.end ? arrow(base.end, head.end) : arrow(base.route, head.route);
}

/// The name of the first execution that both have and whose figures differ; empty if there is none.
std::string changed_execution(const CellResult& base, const CellResult& head)
{
  for (const ExecutionFigures& before : base.executions)
    for (const ExecutionFigures& now : head.executions)
      if (before.name == now.name && before.figures != now.figures) return before.name;
  return {};
}

/// The worst failure of the head that the base does not have; nullptr if there is none.
const CheckFailure* worst_new_failure(const CellResult& base, const CellResult& head)
{
  const CheckFailure* worst = nullptr;
  for (const CheckFailure& failure : head.failures)
    if (find_failure(base, failure.check_id) == nullptr && (worst == nullptr || worst->verdict < failure.verdict))
      worst = &failure;
  return worst;
}

CellChange moved_error(const CellResult& base, const CellResult& head)
{
  CellChange change{ChangeKind::error_moved, "", Verdict::fail, false, arrow(base.end, head.end)};
  if (const CheckFailure* worst = worst_new_failure(base, head)) {
    change.check_id = worst->check_id;
    change.verdict = worst->verdict;
    change.expected = worst->expected;
  }
  return change;
}

void compare_checks(const CellResult& base, const CellResult& head, std::vector<CellChange>& changes)
{
  for (const CheckFailure& now : head.failures) {
    const CheckFailure* before = find_failure(base, now.check_id);
    const bool is_worse = before == nullptr || before->verdict < now.verdict;
    changes.push_back({is_worse ? ChangeKind::regression : ChangeKind::unchanged_failure, now.check_id, now.verdict,
                       now.expected, now.detail});
  }
  for (const CheckFailure& before : base.failures)
    if (find_failure(head, before.check_id) == nullptr)
      changes.push_back({ChangeKind::fix, before.check_id, before.verdict, false, before.detail});
}

/// What is left to say where no check changed its mind.
CellChange compare_routes(const CellResult& base, const CellResult& head)
{
  const bool loses = base.served() && head.denied();
  const bool gains = head.served() && base.denied();
  if (loses) return {ChangeKind::support_lost, "", Verdict::not_supported, false, arrow(base.end, head.end)};
  if (gains) return {ChangeKind::support_gained, "", Verdict::pass, false, arrow(base.end, head.end)};
  if (base.route != head.route) return {ChangeKind::route_changed, "", Verdict::warn, false, route_arrow(base, head)};
  if (const std::string name = changed_execution(base, head); !name.empty())
    return {ChangeKind::results_changed, "", Verdict::warn, false, "other figures of " + name};
  return {};
}

/// "I3 fail, I4 fail; v3 / v3", for a person who compares two.
std::string status_text(const CellResult& result)
{
  std::string checks;
  for (const CheckFailure& failure : result.failures)
    checks += fmt::format("{}{} {}", checks.empty() ? "" : ", ", failure.check_id, verdict_name(failure.verdict));
  return checks.empty() ? result.end : fmt::format("{} ({})", result.end, checks);
}

bool same_failures(const CellResult& left, const CellResult& right)
{
  const auto same = [](const CheckFailure& a, const CheckFailure& b) {
    return a.check_id == b.check_id && a.verdict == b.verdict;
  };
  return std::is_permutation(left.failures.begin(), left.failures.end(), right.failures.begin(), right.failures.end(),
                             same);
}

}  // namespace

std::string_view change_kind_name(ChangeKind kind)
{
  constexpr std::array<std::string_view, kChangeKindCount> kNames{
      "regression",    "error_moved",       "support_lost", "parity",         "results_changed",
      "route_changed", "unchanged_failure", "fix",          "support_gained", "unchanged"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool fails_the_gate(ChangeKind kind) { return kind <= ChangeKind::parity; }

std::vector<CellChange> compare_cell(const CellResult& base, const CellResult* head)
{
  if (head == nullptr)
    return {{ChangeKind::regression, std::string(kMissing), Verdict::missing, false, "no result at head"}};
  if (fails_in_forward(base) && head->error_phase == sim::Phase::backward) return {moved_error(base, *head)};
  std::vector<CellChange> changes;
  compare_checks(base, *head, changes);
  const bool only_unchanged = std::all_of(changes.begin(), changes.end(), [](const CellChange& change) {
    return change.kind == ChangeKind::unchanged_failure;
  });
  if (!only_unchanged) return changes;
  CellChange rest = compare_routes(base, *head);
  if (changes.empty() || rest.kind != ChangeKind::unchanged) changes.push_back(std::move(rest));
  return changes;
}

CellChange compare_parity(const CellResult& dev, const CellResult* pick)
{
  if (pick == nullptr)
    return {ChangeKind::parity, std::string(kMissing), Verdict::missing, false, "no result of the pick"};
  CellChange change{ChangeKind::parity, "", Verdict::fail, false, ""};
  if (!same_failures(dev, *pick))
    change.detail = fmt::format("dev: {}; pick: {}", status_text(dev), status_text(*pick));
  else if (dev.route != pick->route)
    change.detail = fmt::format("dev: {}; pick: {}", dev.end != pick->end ? dev.end : dev.route,
                                dev.end != pick->end ? pick->end : pick->route);
  else if (const std::string name = changed_execution(dev, *pick); !name.empty())
    change.detail = "other figures of " + name;
  else
    return {};
  return change;
}

}  // namespace flashgate::matrix
