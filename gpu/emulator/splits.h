#pragma once

#include <cstdint>
#include <vector>

#include "gpu/emulator/isa/instruction.h"

namespace flashgate::gpu {

/// What keeps a split from running.
enum class SplitState : std::uint8_t {
  ready,
  resume,           ///< was let through where it waits, and is to go on behind it
  warp_sync,        ///< waits at a warp-wide operation for the other lanes of its member mask
  aligned_barrier,  ///< waits before a barrier that the whole warp must reach together
  barrier,          ///< has arrived at a barrier of the block
};

/// Lanes of a warp that are at the same place.
struct Split
{
  isa::LaneMask lanes = 0;
  std::int32_t pc = 0;
  std::int32_t join = -1;  ///< where these lanes meet others again, -1: nowhere
  SplitState state = SplitState::ready;
  isa::LaneMask members = 0;  ///< warp_sync: the lanes it waits for
  std::uint32_t barrier = 0;  ///< barrier: its number
};

/// The lanes of a warp as a list of splits. A branch that only some lanes take makes two splits, which meet again at
/// the branch's immediate post-dominator; until then each may run, so that no lane starves another. A meeting place
/// may be given up for the lanes that wait there (release_join), and these then go on alone.
class Splits
{
 public:
  /// All of `lanes` at instruction 0.
  void start(isa::LaneMask lanes);

  isa::LaneMask live() const { return live_; }
  static bool can_run(const Split& split) { return split.state <= SplitState::resume; }
  bool empty() const { return splits_.empty(); }
  /// One split, and nobody waits for anybody.
  bool is_converged() const { return splits_.size() == 1 && joins_in_use_ == 0; }
  Split& current() { return splits_[current_]; }
  const std::vector<Split>& all() const { return splits_; }
  std::vector<Split>& all() { return splits_; }

  /// Lanes `taken` of the current split go to `target`, the others to `next`; they meet at `reconvergence` (-1: never).
  /// The lanes at `next` become current if `next_first`.
  void diverge(isa::LaneMask taken, std::int32_t target, std::int32_t next, std::int32_t reconvergence,
               bool next_first);

  /// Moves the current split to `pc`; where that is its meeting place it waits there, or goes on with all who waited.
  /// Another split may be current then. False if no split is ready.
  bool move_to(std::int32_t pc);

  /// `lanes` of the current split go no further; who waited for them alone goes on. Another split may be current then.
  void exit(isa::LaneMask lanes);

  /// Makes the next split that can run current, in turn. False if there is none.
  bool rotate();

  /// Makes the split at `place` of all() current.
  void select(std::size_t place) { current_ = place; }

  /// Where the current split meets others, -1: nowhere.
  std::int32_t stop() const
  {
    const std::int32_t join = splits_[current_].join;
    return join < 0 ? -1 : joins_[join].pc;
  }

  /// Lanes that wait at a meeting place go on without those still missing. False if nobody waits at one.
  bool release_join();

  /// Lanes that went on from a meeting place before all had come: they can't be expected at an operation before it.
  isa::LaneMask released() const { return released_; }

  /// Lanes that wait at meeting places.
  isa::LaneMask joining() const;

 private:
  struct Join
  {
    std::int32_t pc = -1;
    std::int32_t parent = -1;
    isa::LaneMask pending = 0;  ///< still to come
    isa::LaneMask arrived = 0;
    bool in_use = false;
  };

  std::int32_t new_join(std::int32_t pc, std::int32_t parent, isa::LaneMask pending);
  void free_join(std::int32_t join);
  void add_merged(Split split);
  void remove_current();
  void arrive(std::int32_t join, isa::LaneMask lanes);
  void prune();

  std::vector<Split> splits_;
  std::size_t current_ = 0;
  std::vector<Join> joins_;
  int joins_in_use_ = 0;
  isa::LaneMask live_ = 0;
  isa::LaneMask released_ = 0;
};

}  // namespace flashgate::gpu
