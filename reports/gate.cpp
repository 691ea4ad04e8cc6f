#include "reports/gate.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "reports/plain_text.h"
#include "reports/repro_line.h"

namespace flashgate::reports {
namespace {

using matrix::ChangeClass;
using matrix::ChangeKind;

constexpr std::size_t kLongestName = 300;    // of a subject, a ref, a commit's first line
constexpr std::size_t kLongestDetail = 600;  // of a finding, a route, a condition

std::string shown(std::string_view text, std::size_t longest = kLongestDetail) { return shown_text(text, longest); }

std::string base_text(const GateSide& base)
{
  std::string text = shown(base.name, kLongestName);
  if (base.subject != base.name) text += fmt::format(" = {}", shown(base.subject, kLongestName));
  return fmt::format("{} ({}, suite {}, run {}, {})", text, shown(base.commit, kLongestName), shown(base.suite, 100),
                     shown(base.run, 100), count_of(base.cells, "cell"));
}

std::string decision_text(const matrix::Decision& decision)
{
  if (decision.text.empty()) return "ends";
  return fmt::format("{} '{}' → {}", phase_name(decision.phase).text(), shown(decision.text), shown(decision.outcome));
}

/// Cells that fail the gate by a change of that kind.
std::int64_t failing_cells(const GateReport& report, ChangeKind kind)
{
  return matrix::fails_the_gate(kind) ? report.comparison.unexpected[static_cast<std::size_t>(kind)] : 0;
}

std::string join(const std::vector<std::string>& parts)
{
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// How far from a difference an equal step is still shown.
constexpr std::ptrdiff_t kContext = 3;

bool is_near_difference(const std::vector<matrix::DifferenceLine>& lines, std::ptrdiff_t at)
{
  const auto count = static_cast<std::ptrdiff_t>(lines.size());
  for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, at - kContext); i < std::min(count, at + kContext + 1); ++i)
    if (lines[i].sign != matrix::DifferenceLine::Sign::both) return true;
  return false;
}

std::string difference_line(const matrix::DifferenceLine& line)
{
  const matrix::Decision& decision = line.decision;
  const std::string place = decision.place ? fmt::format("  [{}]", shown(decision.place.text(), 200)) : "";
  return fmt::format("{} {:<10} {} → {}{}\n", static_cast<char>(line.sign), phase_name(decision.phase).text(),
                     shown(decision.text, 200), shown(decision.outcome, 100), place);
}

}  // namespace

bool GateReport::coverage_fails() const { return coverage && least_coverage && coverage->percent() < *least_coverage; }

bool GateReport::fails() const
{
  const auto& classes = comparison.classes;
  return coverage_fails() ||
         std::any_of(classes.begin(), classes.end(), [](const ChangeClass& change) { return change.fails(); });
}

Severity severity_of(const ChangeClass& change)
{
  if (change.fails()) return Severity::error;
  const bool is_warning = change.kind == ChangeKind::results_changed || change.kind == ChangeKind::route_changed;
  return is_warning ? Severity::warning : Severity::note;
}

std::string_view severity_name(Severity severity)
{
  constexpr std::array<std::string_view, 3> kNames{"error", "warning", "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string kind_phrase(ChangeKind kind, std::int64_t cells)
{
  const std::string of_cells = count_of(cells, "cell");
  switch (kind) {
    case ChangeKind::regression:
      return of_cells + " regressed";
    case ChangeKind::error_moved:
      return of_cells + " with the error moved from forward to backward";
    case ChangeKind::support_lost:
      return of_cells + " lost support";
    case ChangeKind::parity:
      return of_cells + " unlike dev";
    case ChangeKind::results_changed:
      return of_cells + " with other results";
    case ChangeKind::route_changed:
      return of_cells + " on another route";
    case ChangeKind::unchanged_failure:
      return of_cells + " failing as before";
    case ChangeKind::fix:
      return of_cells + " fixed";
    case ChangeKind::support_gained:
      return of_cells + " gained support";
    case ChangeKind::unchanged:
      return of_cells + " unchanged";
  }
  return of_cells;
}

std::string gate_headline(const GateReport& report)
{
  std::vector<std::string> reasons;
  for (int i = 0; i < matrix::kChangeKindCount; ++i)
    if (const auto kind = static_cast<ChangeKind>(i); failing_cells(report, kind) > 0)
      reasons.push_back(kind_phrase(kind, failing_cells(report, kind)));
  if (report.coverage_fails()) reasons.push_back("patch coverage below the limit");
  const std::string verdict = report.fails() ? "FAILED: " + join(reasons) : "OK: nothing got worse";
  return fmt::format("{}; {} against base {}", verdict, shown(report.head.name, kLongestName), base_text(report.base));
}

std::string class_name(const ChangeClass& change)
{
  std::string name(change_kind_name(change.kind));
  if (!change.check_id.empty()) name += " " + shown(change.check_id, 40);
  return name;
}

std::string class_extent(const ChangeClass& change)
{
  std::string text = count_of(change.cells, "cell");
  if (change.unexpected < change.cells)
    text += fmt::format(" ({} expected)", group_digits(change.cells - change.unexpected));
  return text + (change.condition.empty() ? " everywhere" : " where " + change.condition);
}

std::string deciding_text(const matrix::Parting& parting, std::string_view base)
{
  if (parting.base.text.empty() && parting.head.text.empty()) return {};
  if (parting.same) return fmt::format("the same decisions up to {}", decision_text(parting.head));
  const std::string place = parting.place() ? shown(parting.place().text(), 200) + ": " : "";
  return fmt::format("{}{}, where {} {}{}", place, decision_text(parting.head), base,
                     parting.base.text.empty() ? "" : "has ", decision_text(parting.base));
}

std::string class_text(const ChangeClass& change)
{
  std::string text = class_extent(change) + "\n";
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<10} {}\n", label, value);
  };
  add("finding", shown(change.detail));
  add("example", change.example_cell);
  add(change.kind == ChangeKind::parity ? "dev" : "base", shown(change.base_route));
  add(change.kind == ChangeKind::parity ? "pick" : "head", shown(change.head_route));
  for (const matrix::PartingPlace& place : change.partings)
    add("decided by", fmt::format("{} ({})", deciding_text(place.parting), count_of(place.cells, "cell")));
  add("repro", repro_line(change.example_cell, shown(change.head_subject, 1000)));
  return text;
}

std::string difference_text(const ChangeClass& change)
{
  std::string text;
  bool left_out = false;
  const auto count = static_cast<std::ptrdiff_t>(change.difference.size());
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const bool near = is_near_difference(change.difference, i);
    if (near && left_out) text += "  ...\n";
    left_out = !near;
    if (near) text += difference_line(change.difference[i]);
  }
  return text;
}

std::string coverage_text(const GateReport& report)
{
  if (!report.coverage) return {};
  const auto& coverage = *report.coverage;
  const auto lines = static_cast<std::int64_t>(coverage.lines.size());
  std::string text = lines == 0 ? "patch coverage: no changed line can run"
                                : fmt::format("patch coverage {:.1f}% ({} of {} that can run)", coverage.percent(),
                                              group_digits(coverage.covered()), count_of(lines, "changed line"));
  if (report.least_coverage) text += fmt::format("; at least {}% is asked for", *report.least_coverage);
  return text;
}

std::string uncovered_text(const matrix::PatchCoverage& coverage, std::size_t most)
{
  std::string text;
  std::string_view file;
  std::size_t left = most;
  for (const matrix::PatchLine& line : coverage.lines) {
    if (line.hits > 0) continue;
    if (left-- == 0) return text + ", ...";
    if (line.file == file)
      text += fmt::format(",{}", line.line);
    else
      text += fmt::format("{}{}:{}", text.empty() ? "" : "; ", shown(line.file, 200), line.line);
    file = line.file;
  }
  return text;
}

}  // namespace flashgate::reports
