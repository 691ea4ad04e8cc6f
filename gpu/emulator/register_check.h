#pragma once

#include "gpu/emulator/warp.h"

namespace flashgate::gpu {

/// Reports registers that instruction `at` reads in `lanes` which never wrote them, and remembers what it writes.
void check_registers(Engine& engine, Warp& warp, std::int32_t at, isa::LaneMask lanes);

/// The same for an instruction that may be guarded: all `lanes` read the guard, `active` ones the operands.
void check_guarded(Engine& engine, Warp& warp, std::int32_t at, isa::LaneMask lanes, isa::LaneMask active);

}  // namespace flashgate::gpu
