#pragma once

#include <memory>
#include <string>

#include "app/backends/kernel_backend.h"

namespace flashgate::app {

/// Backend `external`: the kernel of a map's PTX on the emulated device, judged like ours. Cases of another generation
/// than the map's, of several ranks, or beyond what the map supports are refused. Throws Error as read_kernel_map() and
/// ExternalKernels do.
std::unique_ptr<KernelBackend> make_external_backend(const std::string& map_file, const std::string& evidence);

}  // namespace flashgate::app
