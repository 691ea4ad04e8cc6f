#pragma once

#include <string>
#include <string_view>

namespace flashgate::app {

/// Evidence level L0 of the kernels whose names begin with `family`, one line: "128-241 registers, no spills on sm_80,
/// sm_90a", or why there is none.
std::string assembly_text(std::string_view family);

}  // namespace flashgate::app
