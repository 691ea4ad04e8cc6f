#pragma once

#include <cstdint>
#include <unordered_map>

#include "gpu/emulator/memory/vector_clock.h"

namespace flashgate::gpu {

/// Flags, counters, locks and semaphores: what was published through each, and so what a warp may know that read it.
///
/// Order across threads comes from a release (a fence followed by a strong write, or a write with .release) and an
/// acquire (a strong read followed by a fence or a barrier, or a read with .acquire) of the same variable. A variable
/// keeps all that was ever published through it: later writes take nothing away (races may be missed, none is
/// invented).
class SyncVariables
{
 public:
  /// A strong write of `variable` by the warp, ordered as `release` says. Publishes nothing if the warp never fenced.
  void wrote(std::uint64_t variable, WarpClock& clock, bool release);
  /// A strong read.
  void read(std::uint64_t variable, WarpClock& clock, bool acquire) const;

  void clear() { variables_.clear(); }

 private:
  struct Published
  {
    CrossClock::Pointer device;  ///< for every thread
    CrossClock::Pointer block;   ///< for threads of the block whose first agent is block_agent
    std::uint32_t block_agent = 0;
  };
  std::unordered_map<std::uint64_t, Published> variables_;
};

}  // namespace flashgate::gpu
