#include "app/backends/emulated_backend.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "gpu/device.h"

namespace flashgate::app {
namespace {

/// A launch of a case that the constraints allow takes some ten million warp instructions; this is a hang.
constexpr std::uint64_t kInstructionBudget = 2'000'000'000;

/// Runs on a GPU whose bits are compared. Their schedules are the GPU's business.
constexpr int kNativeRuns = 3;

/// At L2 two runs look for races, reads of what was never written and the like, one in natural order with copies at
/// wait, one in another order with copies at issue. What they look for does not depend on the schedule; bits and hangs
/// do, and for these all runs are there.
bool has_every_check(const EmulatedBackendOptions& options, int run)
{
  return options.evidence == "L2" && (run == 0 || run == 3);
}

/// Run 0 is the same at every level but for checks: natural order, one block at a time, copies as late as allowed.
gpu::ExecutionOptions execution_options(const EmulatedBackendOptions& options, int run)
{
  constexpr std::array<std::uint32_t, 4> kResidentBlocks{1, 3, 2, 4};
  const auto schedule = static_cast<std::size_t>(run) / 2;
  gpu::ExecutionOptions execution;
  execution.checks = has_every_check(options, run) ? gpu::CheckSet::all() : gpu::CheckSet::always();
  execution.instruction_budget = kInstructionBudget;
  execution.seed = schedule;
  execution.resident_blocks = kResidentBlocks[schedule % kResidentBlocks.size()];
  execution.async = run % 2 == 0 ? gpu::AsyncPolicy::at_wait : gpu::AsyncPolicy::at_issue;
  return execution;
}

}  // namespace

KernelBackendParts emulated_parts(gpu::attention::KernelLibrary library, const EmulatedBackendOptions& options)
{
  const auto make_device = [] { return gpu::make_emulated_device({}); };
  const auto prepare = [options](gpu::Device& device, int run) {
    const gpu::ExecutionOptions execution = execution_options(options, run);
    static_cast<gpu::EmulatedDevice&>(device).set_options(execution);
    return fmt::format("schedule {}, {} resident block(s), copies arrive at {}", execution.seed,
                       execution.resident_blocks, execution.async == gpu::AsyncPolicy::at_wait ? "wait" : "issue");
  };
  const int runs = options.evidence == "L2" ? 2 * options.schedules : 1;
  return {"emulated", options.evidence, runs, make_device, prepare, std::move(library), options.host};
}

std::unique_ptr<KernelBackend> make_emulated_backend(gpu::attention::KernelLibrary library,
                                                     const EmulatedBackendOptions& options)
{
  return std::make_unique<KernelBackend>(emulated_parts(std::move(library), options));
}

std::unique_ptr<KernelBackend> make_cuda_backend(gpu::attention::KernelLibrary library, std::string& why_not)
{
  if (gpu::make_native_device(0, why_not) == nullptr) return nullptr;
  const auto make_device = [] {
    std::string unused;
    return gpu::make_native_device(0, unused);
  };
  const auto prepare = [](gpu::Device& device, int run) { return fmt::format("{}, run {}", device.name(), run); };
  return std::make_unique<KernelBackend>(
      KernelBackendParts{"cuda", "L3", kNativeRuns, make_device, prepare, std::move(library), {}});
}

}  // namespace flashgate::app
