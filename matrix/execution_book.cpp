#include "matrix/execution_book.h"

#include <algorithm>

#include <fmt/format.h>

namespace flashgate::matrix {
namespace {

std::string_view direction(bool backward) { return backward ? "backward" : "forward"; }

/// True if `finding` says more about a cell than `known` of the same check: a worse verdict, or one that is no flake.
bool outweighs(const ExecutionFinding& finding, const ExecutionFinding& known)
{
  if (finding.verdict != known.verdict) return finding.verdict > known.verdict;
  return known.outcome == Outcome::flake && finding.outcome != Outcome::flake;
}

/// Keeps one finding per check: the worst, and of equal ones the first.
void merge(const ExecutionFinding& finding, CellExecutions& answer)
{
  const auto known = std::ranges::find(answer.findings, finding.check_id, &ExecutionFinding::check_id);
  if (known == answer.findings.end())
    answer.findings.push_back(finding);
  else if (outweighs(finding, *known))
    *known = finding;
}

/// Notes why a direction has no execution, or a skipped one; the same reason once.
void add_skip(bool backward, std::string_view reason, CellExecutions& answer)
{
  std::string detail = fmt::format("{}: {}", direction(backward), reason);
  if (std::ranges::find(answer.skips, detail, &ExecutionFinding::detail) == answer.skips.end())
    answer.skips.push_back({"support", Verdict::skip, std::move(detail)});
}

}  // namespace

ExecutionBook::ExecutionBook(const ExecutionSelection& selection)
    : selection_(selection), entries_(selection.cases().size())
{
}

void ExecutionBook::record(std::size_t index, std::int64_t id, std::vector<ExecutionFinding> findings)
{
  entries_[index] = {id, std::move(findings)};
}

CellExecutions ExecutionBook::judge(const Cell& cell, const sim::RankPlan& plan) const
{
  CellExecutions answer;
  const PlannedExecutions planned = planned_executions(cell, plan);
  for (const SkippedExecution& skip : planned.skips)
    add_skip(skip.backward, skip.reason, answer);
  for (const NumericsCase& pin : planned.pins) {
    const auto executions = selection_.executions_of(pin);
    if (executions.empty()) add_skip(is_backward(pin), "over the limit", answer);
    for (const std::uint32_t index : executions)
      add(index, answer);
  }
  return answer;
}

void ExecutionBook::add(std::uint32_t index, CellExecutions& answer) const
{
  const Entry& entry = entries_[index];
  const std::string name = numerics_name(selection_.cases()[index]);
  if (entry.id == 0) {
    answer.worst = worse(answer.worst, Verdict::missing);
    merge({"missing", Verdict::missing, fmt::format("{}: not run", name)}, answer);
    return;
  }
  answer.ids.push_back(entry.id);
  for (const ExecutionFinding& finding : entry.findings) {
    answer.worst = worse(answer.worst, finding.verdict);
    if (finding.check_id == "support")
      add_skip(is_backward(selection_.cases()[index]), finding.detail, answer);
    else
      merge({finding.check_id, finding.verdict, fmt::format("{}: {}", name, finding.detail), finding.outcome}, answer);
  }
}

}  // namespace flashgate::matrix
