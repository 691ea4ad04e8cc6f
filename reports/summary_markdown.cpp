#include "reports/summary_markdown.h"

#include <fmt/format.h>

#include "reports/execution_lines.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"
#include "reports/summary_text.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

std::string table(const RunSummary& summary)
{
  std::string text = "\n| subject |";
  std::string rule = "\n|---|";
  for (const CheckHeading& check : summary.checks) {
    text += " " + code_span(shown_text(check.id, 40), true) + " |";
    rule += "---|";
  }
  text += rule;
  for (const SubjectSummary& subject : summary.subjects) {
    text += "\n| " + code_span(shown_text(subject.name, 120), true) + " |";
    for (const CheckCounts& counts : subject.checks)
      text += " " + table_entry(counts) + " |";
  }
  return text +
         "\n\n✓ all pass, ✗ N unexpected, (N) expected failures, ! N warnings, – not supported or skipped, "
         "· does not apply\n";
}

std::string class_item(const matrix::FailureClass& failure)
{
  const std::string where = failure.condition.empty() ? "everywhere" : "where " + code_span(failure.condition);
  const std::string repro = repro_line(failure);
  std::string text =
      fmt::format("- **{} {} {}** {}: {}", verdict_sign(failure.verdict), verdict_name(failure.verdict),
                  code_span(failure.check_id), code_span(failure.subject), count_of(failure.cells, "cell"));
  if (failure.unexpected > 0 && failure.unexpected < failure.cells)
    text += fmt::format(" ({} unexpected)", group_digits(failure.unexpected));
  text += (failure.is_of_plans ? " " + where : "") + "\n";
  if (!failure.detail.empty()) text += "  - " + code_span(shown_text(failure.detail, 600)) + "\n";
  return text + "  - " + code_span(repro.empty() ? failure.example_cell : repro) + "\n";
}

/// Adds the classes of one kind under a heading; returns how many did not fit.
std::int64_t add_classes(MarkdownBudget& budget, const RunSummary& summary, bool unexpected, const std::string& heading)
{
  std::int64_t left = summary.class_count(unexpected);
  if (left == 0 || !budget.add("\n## " + heading + "\n\n")) return left;
  for (const SubjectSummary& subject : summary.subjects)
    for (const matrix::FailureClass& failure : subject.classes)
      if ((failure.unexpected > 0) == unexpected && budget.add(class_item(failure))) --left;
  return left;
}

std::string problem_lines(const RunSummary& summary)
{
  if (summary.expectation_problems.empty()) return {};
  std::string text = "\n## Expectation lines to look at\n\n";
  for (const matrix::ExpectationUse& use : summary.expectation_problems) {
    if (text.size() > kMostMarkdown / 6) return text + "- ...\n";
    text += fmt::format("- {}: {}, {} of {} cells fail as it says: {}\n",
                        code_span(fmt::format("{}:{}", use.file, use.line)), code_span(use.status),
                        group_digits(use.failing), group_digits(use.matched), code_span(shown_text(use.text, 300)));
  }
  return text;
}

std::string executed_lines(const RunSummary& summary)
{
  if (summary.executions.empty()) return {};
  std::string text = "\n## Executions\n\n";
  for (const std::string& line : execution_lines(summary))
    text += "- " + line + "\n";
  return text;
}

std::string excluded_lines(const RunSummary& summary)
{
  if (summary.excluded.empty()) return {};
  std::string text = "\n## Excluded by constraints\n\n";
  for (const auto& [reason, cells] : summary.excluded)
    text += fmt::format("- {}: {}\n", group_digits(cells), code_span(shown_text(reason, 300)));
  return text;
}

}  // namespace

std::string markdown_summary(const RunSummary& summary)
{
  MarkdownBudget budget;
  budget.add("# " + headline(summary) + "\n\n" + code_span(shown_text(run_line(summary), 400)) + "\n");
  if (const std::string step = next_step(summary); !step.empty())
    budget.add("\n" + code_span(shown_text(step, 1000)) + "\n");
  if (!summary.checks.empty()) budget.add(table(summary));
  std::int64_t left = add_classes(budget, summary, true, "Failing classes");
  budget.add(problem_lines(summary));
  budget.add(executed_lines(summary));
  budget.add(excluded_lines(summary));
  left += add_classes(budget, summary, false, "Classes that fail as expected");
  return budget.take(left == 0 ? "" : fmt::format("\n... and {} more: see index.html\n", count_of(left, "class")));
}

}  // namespace flashgate::reports
