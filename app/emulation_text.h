#pragma once

#include <string>

#include "gpu/runtime/emulation_report.h"

namespace flashgate::app {

/// The report of `emulate` as people read it: findings with their places first, then kernels and counts, then what was
/// not covered. Names come from the program and are made printable.
std::string emulation_text(const gpu::runtime::EmulationReport& report, const gpu::runtime::EmulationOptions& options);

}  // namespace flashgate::app
