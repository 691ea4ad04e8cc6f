#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/emulator/isa/instruction.h"

namespace flashgate::gpu {

/// Warps of a block at most, and so agents of a shared memory.
inline constexpr std::uint32_t kMaxWarps = 32;

/// Clocks count the synchronising events of a warp, from 1. At this value one stands still: what happens then counts as
/// ordered (races may be missed, none is invented).
inline constexpr std::uint32_t kLastClock = (1U << 19) - 1;

/// What is known of warps of the whole launch: the clock of each known agent. Immutable and shared, because whole grids
/// learn the same. Bounded: beyond kLimit agents the lower half counts as known for good (races may be missed).
class CrossClock
{
 public:
  static constexpr std::size_t kLimit = 4096;
  using Pointer = std::shared_ptr<const CrossClock>;  ///< nullptr: nothing is known

  struct Entry
  {
    std::uint32_t agent = 0;
    std::uint32_t clock = 0;
    bool operator==(const Entry&) const = default;
  };

  /// How far the past of `agent` is known; 0: not at all.
  std::uint32_t clock_of(std::uint32_t agent) const;
  std::size_t size() const { return entries_.size(); }

  /// All that either knows; returns one of the two where that knows as much.
  static Pointer join(const Pointer& a, const Pointer& b);
  /// `known`, and the given agents (in ascending order) up to their clocks.
  static Pointer with(const Pointer& known, std::vector<Entry> agents);

 private:
  void shrink();

  std::uint32_t floor_ = 0;  ///< agents below are known for good
  std::vector<Entry> entries_;
};

/// What a warp knows of the others' past: accesses up to these clocks came before.
struct Knowledge
{
  std::array<std::uint32_t, kMaxWarps> seen{};  ///< of the block's warps
  CrossClock::Pointer cross;                    ///< of the launch's

  void join(const Knowledge& other);
};

/// The clock of a warp. Its accesses carry `now`; another warp that has seen this clock comes after them.
///
/// Lanes: known.seen[warp] is when all live lanes last met (bar.warp.sync, a barrier); lane_met tells it lane by lane.
/// Releases and acquires are kept by warp, not by lane: what one lane fences or hears counts for its warp.
struct WarpClock
{
  std::uint32_t warp = 0;
  std::uint32_t first_agent = 0;  ///< of the block; this warp's is first_agent + warp
  std::uint32_t warps = 1;
  std::uint32_t now = 1;
  Knowledge known;
  std::array<std::uint32_t, isa::kLanes> lane_met{};
  std::uint32_t fenced_cta = 0;  ///< a strong write publishes what was done up to here, 0: nothing
  std::uint32_t fenced_gpu = 0;
  CrossClock::Pointer heard;  ///< read by strong reads; known from the next fence or barrier on
  /// known.seen as limits of read stamps, four of each: see shared_race.h. The own ones exclude nothing.
  std::array<std::uint32_t, 4 * kMaxWarps> read_limits{};

  /// Everything before `clock` is known.
  void start(std::uint32_t warp_id, std::uint32_t warp_count, std::uint32_t block, std::uint32_t clock);
  void tick();
  void learn(const Knowledge& other);
  void learn(const CrossClock::Pointer& other);
  void learn_heard();
  void lanes_meet(isa::LaneMask lanes, isa::LaneMask live);

  /// What this warp passes on: its knowledge, and its own accesses up to `own`.
  Knowledge passed_on(std::uint32_t own) const;
  CrossClock::Pointer passed_on_across(std::uint32_t own) const;

  /// True if an access of this block's warp `other` at `clock`, by `other_lane`, comes before one of `lane` now.
  bool before(std::uint32_t other, std::uint32_t clock, std::uint32_t other_lane, std::uint32_t lane) const
  {
    if (clock <= known.seen[other]) return true;
    if (other != warp) return false;
    return lane == other_lane || (lane_met[lane] >= clock && lane_met[other_lane] >= clock);
  }

 private:
  void limits_changed();
};

}  // namespace flashgate::gpu
