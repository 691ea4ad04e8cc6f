#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
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

/// Runs our kernels on the emulated device, every check on. Each tensor lies in a larger one full of NaN.
class KernelRunner
{
 public:
  KernelRunner();

  void set_options(const ExecutionOptions& options) { device_->set_options(options); }

  /// Forward, then backward if wanted, from its own O and LSE.
  KernelResult run(const reference::Problem& problem, const reference::ColumnMask& mask,
                   const reference::AttentionInputs& inputs, LaunchOptions options, bool backward);

 private:
  struct Memory;

  Module& module(const std::string& name);
  void run_forward(const LaunchOptions& options, const reference::Problem& problem, Memory& memory,
                   KernelResult& result);
  void run_backward(const LaunchOptions& options, const reference::Problem& problem, Memory& memory,
                    KernelResult& result);
  void launch(const LaunchPlan& plan, KernelResult& result);

  std::unique_ptr<EmulatedDevice> device_;
  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace flashgate::gpu::kernels
