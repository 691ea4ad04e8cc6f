#pragma once

#include <cstdint>
#include <span>

#include "gpu/emulator/memory/memory_context.h"

namespace flashgate::gpu {

/// What the engine tells the checks. All are cheap where no check needs them; call them in every launch.

/// Before the first block. The context's first part is filled.
void kernel_starts(MemoryContext& context);

/// After the last block, or when the launch is given up.
void kernel_ends(MemoryContext& context);

/// A block begins on this memory: shared memory becomes poison, the warps get local memory and clocks. `warps` are the
/// block's, warps[i]->id == i, with context, block_memory and live set. `number` is unique in the launch.
void block_starts(MemoryContext& context, BlockMemory& block, Dim3 index, std::uint32_t number,
                  std::span<MemoryWarp* const> warps);

void block_ends(BlockMemory& block);

/// `lanes` of the warp exited. Their copies in flight stay unfinished.
void lanes_exit(MemoryWarp& warp, isa::LaneMask lanes);

/// A warp arrives at barrier `barrier` (bar.sync, bar.red, bar.arrive): what it did so far is passed on. Call it once
/// for each time that the warp's lanes are counted.
void barrier_arrive(MemoryWarp& warp, std::uint32_t barrier, isa::LaneMask lanes);

/// The barrier has its count: who resumes knows what the arrived ones did.
void barrier_complete(BlockMemory& block, std::uint32_t barrier);

/// After barrier_complete, for each warp that waited at it (not for bar.arrive), before its next instruction.
void barrier_resume(MemoryWarp& warp, std::uint32_t barrier, isa::LaneMask lanes);

/// bar.warp.sync of `lanes`: they are ordered from here on. By the PTX ISA shfl, vote, match and redux order nothing.
void lanes_meet(MemoryWarp& warp, isa::LaneMask lanes);

}  // namespace flashgate::gpu
