#include "tests/gpu/kernels/kernel_run.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

namespace flashgate::gpu::kernels {
namespace {

attention::HostOptions host_options()
{
  attention::HostOptions options;
  options.unwritten = std::numeric_limits<double>::quiet_NaN();
  return options;
}

}  // namespace

const attention::KernelLibrary& built_kernels()
{
  static const attention::KernelLibrary all = attention::load_kernels(FLASHGATE_KERNELS);
  return all;
}

KernelRunner::KernelRunner(const attention::KernelLibrary& library) : KernelRunner(make_emulated_device({}), library) {}

KernelRunner::KernelRunner(std::unique_ptr<EmulatedDevice> device, const attention::KernelLibrary& library)
    : device_(*device), host_(std::move(device), library, host_options())
{
}

KernelResult KernelRunner::run(const reference::Problem& problem, const reference::ColumnMask& mask,
                               const reference::AttentionInputs& inputs, const LaunchOptions& options, bool backward)
{
  const attention::AttentionCall call{problem, mask, inputs.q, inputs.k, inputs.v, inputs.d_o};
  attention::Complaints complaints;
  KernelResult result;
  attention::ForwardResult forward = host_.forward(call, options, complaints);
  result.outputs = {std::move(forward.o), std::move(forward.lse)};
  result.forward_bits = std::move(forward.memory);
  if (backward) {
    attention::BackwardResult gradients =
        host_.backward(call, result.outputs.o, result.outputs.lse, options, complaints);
    result.gradients = {std::move(gradients.dq), std::move(gradients.dk), std::move(gradients.dv), {}};
    result.backward_bits = std::move(gradients.memory);
  }
  for (const attention::Complaint& complaint : complaints)
    result.complaints.push_back(
        fmt::format("{}: {}", complaint.check ? check_name(*complaint.check) : "memory", complaint.text));
  return result;
}

}  // namespace flashgate::gpu::kernels
