#include "reports/execution_lines.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

/// What an evidence level means, in one sentence.
std::string_view meaning_of(const std::string& evidence)
{
  if (evidence == "none")
    return "the oracle's own variant, rounded step by step, stands in for the kernels: this says nothing about a "
           "kernel";
  if (evidence == "L3") return "run on a GPU";
  return "emulated: functional evidence only (PTX is not SASS, the interleaving is sequentially consistent, "
         "tensor-core rounding differs)";
}

std::string count_line(const std::string& evidence, const std::map<matrix::Verdict, std::int64_t>& verdicts)
{
  std::int64_t all = 0;
  std::string counts;
  for (const auto& [verdict, executions] : verdicts) {
    all += executions;
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", group_digits(executions), verdict_name(verdict));
  }
  return fmt::format("{} executions: {}. Evidence {}: {}.", group_digits(all), counts, evidence, meaning_of(evidence));
}

}  // namespace

std::vector<std::string> execution_lines(const RunSummary& summary)
{
  if (summary.executions.empty())
    return {"No kernel was executed in this run: the verdicts are about dispatch decisions."};
  std::map<std::string, std::map<matrix::Verdict, std::int64_t>> by_evidence;
  for (const matrix::ExecutionCount& count : summary.executions)
    by_evidence[count.evidence][count.verdict] += count.executions;
  std::vector<std::string> lines;
  for (const auto& [evidence, verdicts] : by_evidence)
    lines.push_back(count_line(evidence, verdicts));

  std::map<std::pair<std::string, std::string>, std::string> ratios;
  for (const matrix::WorstRatioRow& row : summary.worst_ratios)
    ratios[{row.kernel, row.dtype}] += fmt::format("  {} {:.3f}", row.tensor, row.bound_ratio);
  for (const auto& [kernel, tensors] : ratios)
    lines.push_back(fmt::format("worst error / bound, {} {}:{}", kernel.first, kernel.second, tensors));
  return lines;
}

}  // namespace flashgate::reports
