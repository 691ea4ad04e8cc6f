#pragma once

#include <memory>
#include <string>

#include "app/backends/kernel_backend.h"
#include "gpu/attention/kernel_library.h"

namespace flashgate::app {

struct EmulatedBackendOptions
{
  std::string evidence = "L1";  ///< "L1": one run, for its numbers; "L2": every check in two of its runs, and schedules
  int schedules = 3;            ///< at L2: orders of blocks and warps with different numbers of resident blocks, each
                                ///< under both policies of asynchronous copies
  gpu::attention::HostOptions host{};
};

/// What a backend is made of that runs PTX on the emulated device at that level.
KernelBackendParts emulated_parts(gpu::attention::KernelLibrary library, const EmulatedBackendOptions& options);

/// Backend `emulated`: the kernels' PTX on the emulated device.
std::unique_ptr<KernelBackend> make_emulated_backend(gpu::attention::KernelLibrary library,
                                                     const EmulatedBackendOptions& options);

/// Backend `cuda`: the same on GPU 0, evidence L3. nullptr, and the reason in `why_not`, where there is none.
std::unique_ptr<KernelBackend> make_cuda_backend(gpu::attention::KernelLibrary library, std::string& why_not);

}  // namespace flashgate::app
