#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/emulator/memory/block_memory.h"
#include "gpu/emulator/warp.h"

namespace flashgate::gpu {

/// One of a block's barriers, in one use: from the first arrival to its completion.
struct NamedBarrier
{
  struct Waiter
  {
    Warp* warp = nullptr;
    isa::LaneMask lanes = 0;
    std::int32_t instruction = -1;
  };
  std::uint32_t expected = 0;  ///< threads; 0: all of the block that live
  std::uint32_t arrived = 0;
  std::int32_t first = -1;  ///< instruction of the first arrival
  std::vector<Waiter> waiters;
  std::uint32_t true_count = 0;  ///< bar.red: threads whose predicate held
  std::uint32_t red_count = 0;   ///< bar.red: threads that gave one
};

inline constexpr std::uint32_t kBarriers = 16;

/// A place for a block on the device, used for one block after another.
struct Block
{
  Dim3 index{0, 0, 0};
  std::uint32_t number = 0;
  BlockMemory memory;
  std::vector<std::unique_ptr<Warp>> warps;
  std::array<NamedBarrier, kBarriers> barriers;
  std::uint32_t threads = 0;  ///< that it began with
  std::uint32_t live_threads = 0;
  bool is_running = false;
  std::size_t next_warp = 0;  ///< whose turn it is

  /// Registers and predicates of all warps; each warp's values begin at a multiple of 64 bytes.
  std::vector<std::byte> register_file;
  std::vector<isa::LaneMask> predicate_file;
};

}  // namespace flashgate::gpu
