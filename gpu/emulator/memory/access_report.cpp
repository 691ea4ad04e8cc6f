#include "gpu/emulator/memory/access_report.h"

#include <fmt/format.h>

namespace flashgate::gpu {

std::string hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

}  // namespace flashgate::gpu
