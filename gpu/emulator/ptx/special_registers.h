#pragma once

#include <string_view>

namespace flashgate::gpu::ptx {

/// True if `name`, with its component, is a special register of the PTX ISA: "%tid.x", "%laneid", "%envreg3", ...
bool is_special_register(std::string_view name);

}  // namespace flashgate::gpu::ptx
