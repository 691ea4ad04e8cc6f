#include <fmt/format.h>

#include "reports/gate_writers.h"
#include "reports/markdown_text.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"

namespace flashgate::reports {
namespace {

using matrix::ChangeClass;
using matrix::ChangeKind;

constexpr const char* kMarker = "<!-- flashgate gate -->\n";

std::string span(std::string_view text, std::size_t longest = 600) { return code_span(shown_text(text, longest)); }

std::string side_row(std::string_view role, const GateSide& side)
{
  const auto cell = [](std::string_view text) { return code_span(shown_text(text, 200), true); };
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", role, cell(side.subject), cell(side.commit), cell(side.suite),
                     cell(side.run), group_digits(side.cells));
}

std::string sides_table(const GateReport& report)
{
  std::string text = "\n| side | subject | commit | suite | run | cells |\n|---|---|---|---|---|---|\n";
  text += side_row("base", report.base) + side_row("head", report.head);
  if (report.dev) text += side_row("dev", *report.dev);
  return text;
}

std::string counts_line(const GateReport& report)
{
  std::string text;
  for (int i = 0; i < matrix::kChangeKindCount; ++i)
    if (const std::int64_t cells = report.comparison.cells[i]; cells > 0)
      text += (text.empty() ? "" : ", ") + kind_phrase(static_cast<ChangeKind>(i), cells);
  return text.empty() ? "" : "\n" + text + ".\n";
}

std::string coverage_section(const GateReport& report)
{
  if (!report.coverage) return {};
  std::string text = fmt::format("\n**{}**{}\n", report.coverage_fails() ? "✗" : "✓", " " + coverage_text(report));
  const std::string lines = uncovered_text(*report.coverage);
  return lines.empty() ? text : text + "\nNot covered: " + span(lines, 4000) + "\n";
}

/// The item of a class: what, where, why, and how to see it.
std::string class_item(const ChangeClass& change)
{
  std::string text = fmt::format("- **{} {}** {}", severity_name(severity_of(change)), span(class_name(change), 80),
                                 count_of(change.cells, "cell"));
  if (change.unexpected < change.cells)
    text += fmt::format(" ({} expected)", group_digits(change.cells - change.unexpected));
  text += change.condition.empty() ? " everywhere\n" : " where " + span(change.condition) + "\n";
  if (!change.detail.empty()) text += "  - " + span(change.detail) + "\n";
  if (!change.partings.empty())
    if (const std::string deciding = deciding_text(change.partings.front().parting); !deciding.empty())
      text += "  - decided by " + span(deciding, 1000) + "\n";
  text += fmt::format("  - example {}\n", span(change.example_cell));
  return text + "  - " + span(repro_line(change.example_cell, shown_text(change.head_subject, 1000)), 2000) + "\n";
}

/// The routes of the example, and the decisions that differ, as a text that GitHub colours.
std::string class_graph(const ChangeClass& change)
{
  std::string text = difference_text(change);
  if (!change.base_route.empty()) text += "- " + shown_text(change.base_route, 400) + "\n";
  if (!change.head_route.empty()) text += "+ " + shown_text(change.head_route, 400) + "\n";
  return fmt::format("\n<details><summary>decisions of the example</summary>\n\n{}\n</details>\n\n",
                     code_block(text, "diff"));
}

/// Adds the classes of one severity; returns how many did not fit.
std::int64_t add_classes(MarkdownBudget& budget, const GateReport& report, Severity severity, std::string_view heading)
{
  std::int64_t left = 0;
  bool is_first = true;
  for (const ChangeClass& change : report.comparison.classes) {
    if (severity_of(change) != severity) continue;
    std::string piece = is_first ? fmt::format("\n## {}\n\n", heading) : "";
    piece += class_item(change);
    const std::string graph = severity == Severity::error ? class_graph(change) : "";
    if (budget.add(piece + graph) || budget.add(piece))
      is_first = false;
    else
      ++left;
  }
  return left;
}

}  // namespace

std::string gate_markdown(const GateReport& report)
{
  MarkdownBudget budget;
  budget.add(kMarker + fmt::format("# flashgate gate: {}\n\n", report.fails() ? "✗ failed" : "✓ ok") +
             code_span(shown_text(gate_headline(report), 1500)) + "\n");
  budget.add(sides_table(report));
  budget.add(counts_line(report));
  budget.add(coverage_section(report));
  std::int64_t left = add_classes(budget, report, Severity::error, "Worse than the base");
  left += add_classes(budget, report, Severity::warning, "Changed");
  left += add_classes(budget, report, Severity::note, "Fixed, gained, or failing as before");
  return budget.take(
      left == 0 ? "" : fmt::format("\n... and {} more, see the gate's other reports\n", count_of(left, "class")));
}

}  // namespace flashgate::reports
