#include "app/backends/device_findings.h"

#include <algorithm>

#include <fmt/format.h>

namespace flashgate::app {
namespace {

using gpu::Check;
using gpu::attention::Complaint;
using matrix::Verdict;

Verdict verdict_of(std::string_view check)
{
  if (check == "hang") return Verdict::hang;
  return check == "trap" ? Verdict::crash : Verdict::fail;
}

}  // namespace

std::string_view check_of(const Complaint& complaint)
{
  if (!complaint.check) return "red_zone";
  switch (*complaint.check) {
    case Check::barrier_divergence:
    case Check::warp_divergence:
    case Check::barrier_exit:
      return "divergence";
    case Check::early_exit:
      return "";
    case Check::hang:
      return "hang";
    case Check::race_shared:
    case Check::race_global:
      return "race";
    case Check::async_read:
      return "async_read";
    case Check::uninit_shared:
    case Check::uninit_global:
    case Check::uninit_local:
    case Check::uninit_register:
      return "uninit";
    case Check::out_of_bounds:
      return "out_of_bounds";
    case Check::misaligned:
      return "misaligned";
    case Check::assertion:
    case Check::trap:
      return "trap";
  }
  return "trap";
}

std::vector<matrix::ExecutionFinding> findings_of(const gpu::attention::Complaints& complaints, std::string_view where)
{
  std::vector<matrix::ExecutionFinding> findings;
  for (const Complaint& complaint : complaints) {
    const std::string_view check = check_of(complaint);
    if (check.empty() || std::ranges::find(findings, check, &matrix::ExecutionFinding::check_id) != findings.end())
      continue;
    findings.push_back({check, verdict_of(check), fmt::format("{} ({})", complaint.text, where)});
  }
  return findings;
}

}  // namespace flashgate::app
