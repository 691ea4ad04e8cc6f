#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu/emulator/memory/address.h"
#include "gpu/emulator/memory/form_word.h"
#include "gpu/emulator/memory/memory_context.h"

namespace flashgate::gpu {

/// What a warp instruction asks of memory.
struct Request
{
  StateSpace space = StateSpace::global;  ///< not generic
  std::uint32_t bytes = 4;                ///< of each lane
  bool is_write = false;
  bool is_generic = false;  ///< addresses carry the space's window
};

using LaneAddresses = std::array<std::uint64_t, isa::kLanes>;

/// Where the lanes' bytes are. Every lane has a pointer that may be followed: one that is out of bounds reads poison
/// and writes where nobody looks, one that is not in the mask has the first lane's.
struct LanePointers
{
  alignas(64) std::array<std::byte*, isa::kLanes> at;
  isa::LaneMask good = 0;            ///< lanes of the mask that are in bounds
  Allocation* allocation = nullptr;  ///< global memory: that of all good lanes, if they share one
};

/// The lanes' addresses; lanes out of `mask` get that of its first lane.
void read_addresses(const MemoryWarp& warp, const isa::Instruction& instruction, bool wide, isa::LaneMask mask,
                    LaneAddresses& addresses);

/// Finds the bytes of every lane. Accesses out of bounds are reported (always on) with their lanes.
void locate(MemoryWarp& warp, const isa::Instruction& instruction, isa::LaneMask mask, const Request& request,
            const LaneAddresses& addresses, LanePointers& pointers);

/// Calls `act(lane)` for the lanes of a mask, lowest first.
template <typename Act>
void for_lanes(isa::LaneMask mask, const Act& act)
{
  for (; mask != 0; mask &= mask - 1)
    act(static_cast<std::uint32_t>(__builtin_ctz(mask)));
}

/// Locates the bytes and calls `act(request, addresses, lanes, pointers)`; for generic addresses once for every space
/// that lanes of the mask point to.
template <typename Act>
void by_space(MemoryWarp& warp, const isa::Instruction& instruction, const FormWord& form, isa::LaneMask mask,
              bool is_write, const Act& act)
{
  alignas(64) LaneAddresses addresses;
  read_addresses(warp, instruction, form.wide_address(), mask, addresses);
  const auto act_on = [&](const Request& request, const LaneAddresses& located, isa::LaneMask lanes) {
    LanePointers pointers;
    locate(warp, instruction, lanes, request, located, pointers);
    act(request, located, lanes, pointers);
  };
  if (form.space() != StateSpace::generic)
    return act_on({form.space(), form.bytes(), is_write, false}, addresses, mask);
  while (mask != 0) {
    const StateSpace space = space_of(addresses[__builtin_ctz(mask)]);
    isa::LaneMask lanes = 0;
    for_lanes(mask, [&](std::uint32_t lane) { lanes |= isa::LaneMask{space_of(addresses[lane]) == space} << lane; });
    if (lanes != isa::kAllLanes) {
      LaneAddresses part = addresses;
      for (std::uint32_t lane = 0; lane < isa::kLanes; ++lane) {
        if ((lanes >> lane & 1U) == 0) part[lane] = addresses[__builtin_ctz(lanes)];
      }
      act_on({space, form.bytes(), is_write, true}, part, lanes);
    } else {
      act_on({space, form.bytes(), is_write, true}, addresses, lanes);
    }
    mask &= ~lanes;
  }
}

}  // namespace flashgate::gpu
