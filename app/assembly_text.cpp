#include "app/assembly_text.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/installation.h"
#include "gpu/kernels/ptxas_report.h"
#include "reference/error.h"

namespace flashgate::app {
namespace {

/// What many kernels take.
struct Assembly
{
  int fewest_registers = std::numeric_limits<int>::max();
  int most_registers = 0;
  int spill_bytes = 0;
  std::vector<std::string> targets;
};

void add(Assembly& assembly, const gpu::kernels::PtxasFigures& figures)
{
  assembly.fewest_registers = std::min(assembly.fewest_registers, figures.registers);
  assembly.most_registers = std::max(assembly.most_registers, figures.registers);
  assembly.spill_bytes += figures.spill_store_bytes + figures.spill_load_bytes;
  if (std::find(assembly.targets.begin(), assembly.targets.end(), figures.target) == assembly.targets.end())
    assembly.targets.push_back(figures.target);
}

std::string text_of(const Assembly& assembly)
{
  const std::string spills =
      assembly.spill_bytes == 0 ? "no spills" : fmt::format("{} bytes of spills", assembly.spill_bytes);
  return fmt::format("{}-{} registers, {} on {}", assembly.fewest_registers, assembly.most_registers, spills,
                     fmt::join(assembly.targets, ", "));
}

}  // namespace

std::string assembly_text(std::string_view family)
{
  try {
    std::string why_not;
    Assembly assembly;
    for (const gpu::kernels::PtxasFigures& figures :
         gpu::kernels::read_ptxas_report(kernels_folder().string(), why_not))
      if (figures.entry.starts_with(family)) add(assembly, figures);
    return assembly.targets.empty() ? "not assembled: " + why_not : text_of(assembly);
  } catch (const Error& error) {
    return std::string("not assembled: ") + error.what();
  }
}

}  // namespace flashgate::app
