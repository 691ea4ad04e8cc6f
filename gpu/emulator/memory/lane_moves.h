#pragma once

#include <array>
#include <cstddef>

#include "gpu/emulator/memory/lane_pointers.h"

namespace flashgate::gpu {

/// Memory to registers: all elements of a load, for the lanes of the mask. Destinations of kNoSlot are skipped.
void move_loaded(const isa::Registers& registers, const isa::Instruction& instruction, const FormWord& form,
                 isa::LaneMask mask, const LanePointers& from);

/// Registers to memory, in lane order: of two lanes with the same address the higher one's value stays.
void move_stored(const isa::Registers& registers, const isa::Instruction& instruction, const FormWord& form,
                 isa::LaneMask mask, const std::array<std::byte*, isa::kLanes>& to);

}  // namespace flashgate::gpu
