#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "gpu/emulator/finding.h"
#include "gpu/emulator/memory/shared_race.h"
#include "gpu/emulator/memory/sync_variables.h"
#include "gpu/emulator/memory/vector_clock.h"
#include "gpu/emulator/memory/written_bits.h"

namespace flashgate::gpu {

struct MemoryWarp;

/// The shared memory of one block, its shadow, and what its barriers pass on. Made once per resident block and used for
/// one block after another: block_starts makes it ready.
struct BlockMemory
{
  Dim3 index{0, 0, 0};
  std::uint32_t number = 0;  ///< linear, unique in the launch
  std::uint32_t warps = 0;
  std::vector<MemoryWarp*> members;  ///< its warps
  std::vector<std::byte> shared;
  WrittenBits written;               ///< empty unless uninit_shared is on
  std::unique_ptr<SharedRace> race;  ///< nullptr unless race_shared or async_read is on
  SyncVariables sync;                ///< flags and locks in shared memory
  struct Barrier
  {
    Knowledge arriving;
    Knowledge complete;
  };
  std::map<std::uint32_t, Barrier> barriers;  ///< by barrier number
};

}  // namespace flashgate::gpu
