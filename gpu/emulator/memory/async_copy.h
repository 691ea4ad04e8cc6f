#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/emulator/isa/instruction.h"

namespace flashgate::gpu {

/// One cp.async of a warp: where each lane's bytes go and come from.
struct AsyncCopy
{
  isa::LaneMask lanes = 0;
  std::int32_t instruction = -1;
  std::uint32_t group = 0;  ///< of each of its lanes, counted from 1; 0: not committed
  std::uint8_t bytes = 16;
  std::array<std::uint8_t, isa::kLanes> read{};  ///< bytes read; the rest is zero-filled
  std::array<std::uint32_t, isa::kLanes> to{};   ///< offsets in shared memory
  std::array<const std::byte*, isa::kLanes> from{};
};

/// The asynchronous copies of a warp that were not waited for, with their groups. Groups are counted per lane.
class AsyncCopies
{
 public:
  /// Room for one more copy, uncommitted; the rest is as an earlier copy left it. Valid until the next call.
  AsyncCopy& add();
  void commit(isa::LaneMask lanes);

  /// Gives `complete(copy)` every copy that the wait ends, oldest first, with the lanes that it ends it for. Copies not
  /// committed stay.
  template <typename Complete>
  void wait_group(isa::LaneMask lanes, std::uint64_t pending, Complete&& complete);
  /// As wait_group for all copies, committed or not.
  template <typename Complete>
  void wait_all(isa::LaneMask lanes, Complete&& complete);

  bool empty() const { return used_ == 0; }
  void clear();

 private:
  template <typename Ends, typename Complete>
  void end(isa::LaneMask lanes, const Ends& ends, const Complete& complete);

  std::vector<AsyncCopy> copies_;  // the first used_ of them
  std::size_t used_ = 0;
  std::array<std::uint32_t, isa::kLanes> committed_{};  // groups committed by each lane
  bool alike_ = true;                                   // all lanes committed as many
};

template <typename Ends, typename Complete>
void AsyncCopies::end(isa::LaneMask lanes, const Ends& ends, const Complete& complete)
{
  std::size_t kept = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    AsyncCopy& copy = copies_[i];
    isa::LaneMask ended = 0;
    for (isa::LaneMask rest = copy.lanes & lanes; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      const bool ends_here = ends(copy, lane);
      if (alike_) {
        if (ends_here) ended = rest;
        break;
      }
      if (ends_here) ended |= isa::LaneMask{1} << lane;
    }
    const isa::LaneMask left = copy.lanes & ~ended;
    if (ended != 0) {
      copy.lanes = ended;
      complete(static_cast<const AsyncCopy&>(copy));
    }
    if (left == 0) continue;
    copy.lanes = left;
    if (kept != i) copies_[kept] = copy;
    ++kept;
  }
  used_ = kept;
}

template <typename Complete>
void AsyncCopies::wait_group(isa::LaneMask lanes, std::uint64_t pending, Complete&& complete)
{
  end(
      lanes,
      [this, pending](const AsyncCopy& copy, int lane) {
        return copy.group != 0 && committed_[lane] - copy.group >= pending;
      },
      complete);
}

template <typename Complete>
void AsyncCopies::wait_all(isa::LaneMask lanes, Complete&& complete)
{
  end(
      lanes, [](const AsyncCopy&, int) { return true; }, complete);
}

}  // namespace flashgate::gpu
