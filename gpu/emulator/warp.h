#pragma once

#include <cstdint>
#include <vector>

#include "gpu/emulator/engine.h"
#include "gpu/emulator/memory/memory_context.h"
#include "gpu/emulator/splits.h"

namespace flashgate::gpu {

struct Block;

/// A warp of a resident block. Handlers of the engine downcast isa::Registers to it. MemoryWarp::live is splits.live().
struct Warp : MemoryWarp
{
  Engine* engine = nullptr;
  Block* block = nullptr;
  Splits splits;
  isa::LaneMask started = 0;  ///< lanes that the block's shape gives this warp
  bool used_barrier = false;
  bool is_blocked = false;  ///< none of its splits can run until a barrier completes

  /// Register check: lanes that wrote each virtual register, and the segments that a whole warp has passed.
  std::vector<isa::LaneMask> initialised;
  std::vector<bool> segment_checked;

  bool finished() const { return splits.empty() && splits.joining() == 0; }
};

}  // namespace flashgate::gpu
