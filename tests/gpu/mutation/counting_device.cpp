#include "tests/gpu/mutation/counting_device.h"

namespace flashgate::gpu::mutation {

LaunchResult CountingDevice::launch(const Kernel& kernel, const LaunchConfig& config)
{
  LaunchResult result = device_->launch(kernel, config);
  work_.matrix += result.counters.instructions[static_cast<std::size_t>(InstructionClass::matrix)];
  work_.predicate += result.counters.instructions[static_cast<std::size_t>(InstructionClass::predicate)];
  work_.all += result.counters.total_instructions;
  return result;
}

}  // namespace flashgate::gpu::mutation
