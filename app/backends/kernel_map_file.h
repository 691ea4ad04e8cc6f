#pragma once

#include <string>

#include "gpu/external/kernel_map.h"

namespace flashgate::app {

/// Reads the map of somebody's kernel and the PTX that it names; docs/add_a_kernel.md describes the keys. Throws Error
/// "file:line: what was found, what was expected" for whatever a map may not say.
gpu::external::KernelMap read_kernel_map(const std::string& path);

}  // namespace flashgate::app
