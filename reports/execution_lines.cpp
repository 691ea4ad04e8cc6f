#include "reports/execution_lines.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

using CountsByText = std::map<std::string, std::int64_t>;

std::int64_t total(const CountsByText& counts)
{
  std::int64_t all = 0;
  for (const auto& [text, count] : counts)
    all += count;
  return all;
}

std::string listed(const CountsByText& counts)
{
  std::string list;
  for (const auto& [text, count] : counts)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", group_digits(count), text);
  return list;
}

/// A line per evidence level, then what was not executed and what the levels can't say.
void add_counts(const std::vector<matrix::ExecutionCount>& executions, std::vector<std::string>& lines)
{
  std::map<std::string, CountsByText> by_evidence;
  CountsByText skipped;
  for (const matrix::ExecutionCount& count : executions) {
    if (count.verdict == matrix::Verdict::skip)
      skipped[fmt::format("{} ({})", count.kernel, count.reason)] += count.executions;
    else
      by_evidence[count.evidence][std::string(verdict_name(count.verdict))] += count.executions;
  }
  for (const auto& [evidence, verdicts] : by_evidence)
    lines.push_back(fmt::format("{} executions at evidence {}, {}: {}.", group_digits(total(verdicts)), evidence,
                                meaning_of_evidence(evidence), listed(verdicts)));
  if (!skipped.empty())
    lines.push_back(fmt::format("{} executions skipped: {}.", group_digits(total(skipped)), listed(skipped)));
  if (by_evidence.contains("L1") || by_evidence.contains("L2")) lines.emplace_back(limits_of_emulation());
}

void add_unpromised(const std::vector<matrix::UnpromisedBitsRow>& rows, std::vector<std::string>& lines)
{
  for (const matrix::UnpromisedBitsRow& row : rows)
    lines.push_back(fmt::format("No bits are promised of {} {} in {} executions, {} of them seen to vary.", row.kernel,
                                row.tensor, group_digits(row.executions), group_digits(row.varied)));
}

}  // namespace

std::string_view meaning_of_evidence(std::string_view evidence)
{
  if (evidence == "none")
    return "the oracle's own variant, rounded step by step, stands in for the kernels: this says nothing about a "
           "kernel";
  if (evidence == "L0") return "compiled, not executed";
  if (evidence == "L1") return "emulated once";
  if (evidence == "L2") return "emulated with every check, under several schedules";
  return "run on a GPU";
}

std::string_view limits_of_emulation()
{
  return "L1 and L2 are functional evidence only: PTX is not SASS, the interleaving is sequentially consistent, "
         "tensor-core rounding differs.";
}

std::vector<std::string> execution_lines(const RunSummary& summary)
{
  if (summary.executions.empty())
    return {"No kernel was executed in this run: the verdicts are about dispatch decisions."};
  std::vector<std::string> lines;
  add_counts(summary.executions, lines);
  add_unpromised(summary.unpromised_bits, lines);

  std::map<std::pair<std::string, std::string>, std::string> ratios;
  for (const matrix::WorstRatioRow& row : summary.worst_ratios)
    ratios[{row.kernel, row.dtype}] += fmt::format("  {} {:.3f}", row.tensor, row.bound_ratio);
  for (const auto& [kernel, tensors] : ratios)
    lines.push_back(fmt::format("worst error / bound, {} {}:{}", kernel.first, kernel.second, tensors));
  return lines;
}

}  // namespace flashgate::reports
