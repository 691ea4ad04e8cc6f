#include "gpu/emulator/memory/async_copy.h"

namespace flashgate::gpu {
namespace {

/// The lanes of `lanes` whose count is that of the first of them.
isa::LaneMask like_first(const std::array<std::uint32_t, isa::kLanes>& counts, isa::LaneMask lanes)
{
  const std::uint32_t first = counts[__builtin_ctz(lanes)];
  isa::LaneMask alike = 0;
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (counts[lane] == first) alike |= isa::LaneMask{1} << lane;
  }
  return alike;
}

}  // namespace

AsyncCopy& AsyncCopies::add()
{
  if (used_ == copies_.size()) copies_.emplace_back();
  copies_[used_].group = 0;
  return copies_[used_++];
}

void AsyncCopies::commit(isa::LaneMask lanes)
{
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1)
    ++committed_[__builtin_ctz(rest)];
  alike_ = alike_ && lanes == isa::kAllLanes;
  // Lanes whose groups have different numbers go on as copies of their own: copies appended here are visited as well.
  for (std::size_t i = 0; i < used_; ++i) {
    const isa::LaneMask closed = copies_[i].lanes & lanes;
    if (copies_[i].group != 0 || closed == 0) continue;
    const isa::LaneMask alike = like_first(committed_, closed);
    if (copies_[i].lanes != alike) {
      const AsyncCopy whole = copies_[i];
      AsyncCopy& rest = add();
      rest = whole;
      rest.lanes &= ~alike;
      copies_[i].lanes = alike;
    }
    copies_[i].group = committed_[__builtin_ctz(alike)];
  }
}

void AsyncCopies::clear()
{
  used_ = 0;
  committed_.fill(0);
  alike_ = true;
}

}  // namespace flashgate::gpu
