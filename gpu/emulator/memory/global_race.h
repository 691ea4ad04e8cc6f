#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/emulator/memory/race_cells.h"
#include "gpu/emulator/memory/vector_clock.h"

namespace flashgate::gpu {

/// Who accesses global memory: a lane of a warp, at an instruction.
struct GlobalAgent
{
  const WarpClock* clock = nullptr;
  std::uint32_t lane = 0;
  std::uint32_t site = 0;
  Epoch::Strength strength = Epoch::Strength::weak;

  std::uint32_t number() const { return clock->first_agent + clock->warp; }
};

/// What an access is in conflict with.
struct GlobalConflict
{
  enum class Kind : std::uint8_t { none, with_write, with_read };
  Kind kind = Kind::none;
  std::size_t offset = 0;  ///< in the allocation, of the first byte concerned
  Epoch other;
};

/// Happens-before for global memory during one launch. An access by another block is unordered unless a release and an
/// acquire lie between (sync_variables.h). Of reads, two are remembered by cell; reads and later writes of the same
/// warp's lanes are not compared. Warps beyond the 4,194,304th of a launch are not checked.
///
/// Each records the access, whatever it met, and returns the first thing that it is in conflict with.
GlobalConflict check_global_read(RaceCells& cells, std::size_t offset, std::size_t bytes, const GlobalAgent& agent);
GlobalConflict check_global_write(RaceCells& cells, std::size_t offset, std::size_t bytes, const GlobalAgent& agent);

}  // namespace flashgate::gpu
