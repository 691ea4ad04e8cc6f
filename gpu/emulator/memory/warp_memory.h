#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/emulator/memory/async_copy.h"
#include "gpu/emulator/memory/vector_clock.h"
#include "gpu/emulator/memory/written_bits.h"

namespace flashgate::gpu {

/// What one warp has of memory: its lanes' local memory, its copies in flight, its clock. Made ready by block_starts.
struct WarpMemory
{
  std::vector<std::byte> local;  ///< lane after lane, local_bytes each
  std::uint32_t local_bytes = 0;
  WrittenBits local_written;  ///< empty unless uninit_local is on
  AsyncCopies copies;
  WarpClock clock;
};

}  // namespace flashgate::gpu
