#pragma once

#include <string>
#include <vector>

#include "gpu/attention/attention_host.h"
#include "gpu/kernels/attention_launch.h"
#include "reference/attention.h"

namespace flashgate::gpu::kernels {

/// What a call of our kernels left behind.
struct KernelResult
{
  reference::AttentionOutputs outputs;
  reference::AttentionGradients gradients;  ///< empty after a forward
  std::vector<std::byte> forward_bits;      ///< memory of O and LSE as it is, gaps included
  std::vector<std::byte> backward_bits;     ///< of dQ, dK and dV
  std::vector<std::string> complaints;      ///< findings, launches that did not end, writes outside of the lengths
};

/// The kernels as they were built, read once.
const attention::KernelLibrary& built_kernels();

/// Runs our kernels on the emulated device, every check on. Each tensor lies in a larger one full of NaN.
class KernelRunner
{
 public:
  /// `library` outlives the runner.
  explicit KernelRunner(const attention::KernelLibrary& library = built_kernels());

  void set_options(const ExecutionOptions& options) { device_.set_options(options); }

  /// Forward, then backward if wanted, from its own O and LSE.
  KernelResult run(const reference::Problem& problem, const reference::ColumnMask& mask,
                   const reference::AttentionInputs& inputs, const LaunchOptions& options, bool backward);

 private:
  KernelRunner(std::unique_ptr<EmulatedDevice> device, const attention::KernelLibrary& library);

  EmulatedDevice& device_;  ///< host_'s
  attention::AttentionHost host_;
};

}  // namespace flashgate::gpu::kernels
