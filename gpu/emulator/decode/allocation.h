#pragma once

#include <cstdint>
#include <vector>

#include "gpu/emulator/program.h"
#include "gpu/emulator/ptx/instruction.h"

namespace flashgate::gpu::decode {

/// Lets registers whose lives do not overlap share slots: linear scan over live intervals, a pool for each width.
/// Predicates are left alone. Sets slots[r] of every register that is used, and the bytes that all take together.
/// Lanes that went different ways never disturb each other, since a handler writes its own lanes only.
void allocate_registers(const Program& program, const std::vector<ptx::Register>& registers,
                        std::vector<std::uint32_t>& slots, std::uint32_t& bytes);

}  // namespace flashgate::gpu::decode
