#pragma once

#include "gpu/emulator/memory/lane_pointers.h"

namespace flashgate::gpu {

/// Adds an access of `lanes` to the launch's counters, if there are any: bytes, 32-byte sectors of global memory, bank
/// conflicts of shared memory. Lanes out of bounds count like the others.
void count_access(MemoryContext& context, const Request& request, const LaneAddresses& addresses, isa::LaneMask lanes);

/// Passes that the 32 banks of 4 bytes need beyond the fewest possible for accesses of that size. A pass serves as many
/// lanes as make 128 bytes; lanes that want the same word share it.
std::uint32_t extra_bank_passes(const LaneAddresses& addresses, isa::LaneMask lanes, std::uint32_t bytes);

/// Different 32-byte sectors that the lanes touch with at most 64 bytes each.
std::uint32_t sectors_touched(const LaneAddresses& addresses, isa::LaneMask lanes, std::uint32_t bytes);

}  // namespace flashgate::gpu
