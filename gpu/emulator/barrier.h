#pragma once

#include "gpu/emulator/block.h"

namespace flashgate::gpu {

/// What a barrier instruction does beside counting. slot 0 is the barrier's number, slot 1 the count of threads
/// (kNoSlot: all), slot 2 the result of red_* (red_popc: a 32-bit register, else a predicate), slot 3 its predicate
/// source. Instruction::a is the operation, plus kBarrierNegated for `!p`.
enum class BarrierOperation : std::uint8_t { sync, arrive, red_popc, red_and, red_or };
inline constexpr std::uint32_t kBarrierNegated = 0x100;

/// `lanes` of `warp` arrive: its current split, and other splits that came to the same instruction. True if the current
/// split may go on at once; otherwise it waits. The others are told by their state.
bool arrive_at_barrier(Engine& engine, Warp& warp, const isa::Instruction& instruction, isa::LaneMask lanes);

/// Threads have exited: barriers that count all threads of the block may be complete now.
void recheck_barriers(Engine& engine, Block& block);

}  // namespace flashgate::gpu
