#include "matrix/execution_book.h"

#include <algorithm>

#include <fmt/format.h>

namespace flashgate::matrix {
namespace {

std::string_view direction(bool backward) { return backward ? "backward" : "forward"; }

/// Keeps one finding per check: the worst, and of equal ones the first.
void merge(const ExecutionFinding& finding, CellExecutions& answer)
{
  answer.worst = worse(answer.worst, finding.verdict);
  const auto known = std::ranges::find(answer.findings, finding.check_id, &ExecutionFinding::check_id);
  if (known == answer.findings.end())
    answer.findings.push_back(finding);
  else if (known->verdict < finding.verdict)
    *known = finding;
}

}  // namespace

ExecutionBook::ExecutionBook(const ExecutionSelection& selection)
    : selection_(selection), entries_(selection.cases().size())
{
}

void ExecutionBook::record(std::size_t index, std::int64_t id, const ExecutionResult& result)
{
  entries_[index] = {id, result.findings};
}

CellExecutions ExecutionBook::judge(const Cell& cell, const sim::RankPlan& plan) const
{
  CellExecutions answer;
  const PlannedExecutions planned = planned_executions(cell, plan);
  for (const SkippedExecution& skip : planned.skips)
    answer.skips.push_back({"support", Verdict::skip, fmt::format("{}: {}", direction(skip.backward), skip.reason)});
  for (const NumericsCase& pin : planned.pins) {
    const auto executions = selection_.executions_of(pin);
    if (executions.empty())
      answer.skips.push_back(
          {"support", Verdict::skip, fmt::format("{}: over the limit", direction(is_backward(pin)))});
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
    merge({"missing", Verdict::missing, fmt::format("{}: not run", name)}, answer);
    return;
  }
  answer.ids.push_back(entry.id);
  for (const ExecutionFinding& finding : entry.findings)
    merge({finding.check_id, finding.verdict, fmt::format("{}: {}", name, finding.detail)}, answer);
}

}  // namespace flashgate::matrix
