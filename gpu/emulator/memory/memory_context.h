#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/emulator/finding.h"
#include "gpu/emulator/isa/instruction.h"
#include "gpu/emulator/launch.h"
#include "gpu/emulator/memory/access_sites.h"
#include "gpu/emulator/memory/block_memory.h"
#include "gpu/emulator/memory/global_memory.h"
#include "gpu/emulator/memory/sync_variables.h"
#include "gpu/emulator/memory/warp_memory.h"

namespace flashgate::gpu {

/// What the memory instructions of one launch share. The engine fills the first part, kernel_starts the rest.
struct MemoryContext
{
  GlobalMemory* global = nullptr;
  FindingLog* findings = nullptr;
  LaunchCounters* counters = nullptr;  ///< nullptr: bank conflicts, sectors and bytes are not counted
  CheckSet checks = CheckSet::always();
  AsyncPolicy async = AsyncPolicy::at_wait;
  std::span<const std::byte> parameters;
  std::uint32_t shared_bytes = 0;  ///< static and dynamic, per block
  std::uint32_t local_bytes = 0;   ///< per thread
  std::uint32_t warps_per_block = 1;

  SyncVariables sync;  ///< flags and semaphores in global memory
  AccessSites sites;   ///< instructions by the small numbers that shadow cells hold
  /// Unordered stores that changed nothing because the bytes were there already: no finding, since the outcome is the
  /// same in every order.
  std::uint64_t benign_stores = 0;
  bool keeps_clocks = false;  ///< some check needs the order of accesses
};

/// A warp as memory instructions see it: what handlers downcast isa::Registers to. The engine's warp derives from it.
struct MemoryWarp : isa::Registers
{
  MemoryContext* context = nullptr;
  BlockMemory* block_memory = nullptr;
  std::uint32_t id = 0;    ///< within the block
  isa::LaneMask live = 0;  ///< lanes that exist and have not exited
  WarpMemory memory;
};

}  // namespace flashgate::gpu
