#include "app/emulation_text.h"

#include <fmt/format.h>

#include "matrix/texts.h"

namespace flashgate::app {
namespace {

using gpu::runtime::EmulationReport;
using gpu::runtime::KernelSummary;
using gpu::runtime::ReportedFinding;
using matrix::printable;

std::string finding_text(const ReportedFinding& finding)
{
  std::string text = fmt::format("{}[{}] {}\n    at {}\n", finding.warning ? "warning " : "", finding.check,
                                 printable(finding.detail), printable(finding.site));
  if (!finding.earlier.empty()) text += fmt::format("    earlier at {}\n", printable(finding.earlier));
  text += fmt::format("    in {}, {}", printable(finding.kernel), finding.place);
  if (finding.count > 1) text += fmt::format(", {} times", finding.count);
  return text + "\n";
}

std::string kernel_text(const KernelSummary& kernel)
{
  std::string text = fmt::format("  {}: {} launch{}, {} blocks, {} warp instructions", printable(kernel.name),
                                 kernel.launches, kernel.launches == 1 ? "" : "es", kernel.blocks, kernel.instructions);
  if (kernel.global_sectors != 0)
    text += fmt::format(", {} sectors of global memory for {} bytes", kernel.global_sectors, kernel.global_bytes);
  if (kernel.shared_bank_conflicts != 0) text += fmt::format(", {} bank conflicts", kernel.shared_bank_conflicts);
  if (kernel.varies) text += "; its results depend on the order of blocks and warps";
  return text + "\n";
}

}  // namespace

std::string emulation_text(const EmulationReport& report, const gpu::runtime::EmulationOptions& options)
{
  std::string text =
      fmt::format("flashgate emulate: emulated sm_{}, checks: {}, schedules per launch: {}\n", options.architecture,
                  options.checks.empty() ? "all" : options.checks, options.schedules);
  for (const ReportedFinding& finding : report.findings)
    text += finding_text(finding);
  text += report.kernels.empty() ? "no kernel was launched\n" : "kernels:\n";
  for (const KernelSummary& kernel : report.kernels)
    text += kernel_text(kernel);
  for (const std::string& call : report.refused)
    text += "not supported: " + printable(call) + "\n";
  if (!report.finished && !report.kernels.empty())
    text += "the program did not end through exit(): launches after the last finding are not listed\n";
  text += report.findings.empty()
              ? "no findings. "
              : fmt::format("{} finding{}. ", report.findings.size(), report.findings.size() == 1 ? "" : "s");
  return text + "Functional evidence only: nothing ran on a GPU, and no time can be derived from this.\n";
}

}  // namespace flashgate::app
