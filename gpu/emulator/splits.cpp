#include "gpu/emulator/splits.h"

namespace flashgate::gpu {

void Splits::start(isa::LaneMask lanes)
{
  splits_.clear();
  joins_.clear();
  joins_in_use_ = 0;
  current_ = 0;
  live_ = lanes;
  released_ = 0;
  Split split;
  split.lanes = lanes;
  splits_.push_back(split);
}

std::int32_t Splits::new_join(std::int32_t pc, std::int32_t parent, isa::LaneMask pending)
{
  std::size_t place = 0;
  while (place < joins_.size() && joins_[place].in_use)
    ++place;
  if (place == joins_.size()) joins_.emplace_back();
  joins_[place] = {.pc = pc, .parent = parent, .pending = pending, .arrived = 0, .in_use = true};
  ++joins_in_use_;
  return static_cast<std::int32_t>(place);
}

void Splits::free_join(std::int32_t join)
{
  joins_[join].in_use = false;
  --joins_in_use_;
}

void Splits::diverge(isa::LaneMask taken, std::int32_t target, std::int32_t next, std::int32_t reconvergence,
                     bool next_first)
{
  Split jumping = current();
  Split staying = current();
  jumping.lanes = taken;
  staying.lanes &= ~taken;
  jumping.pc = target;
  staying.pc = next;
  std::int32_t join = jumping.join;
  // Within a loop the same meeting place serves every iteration.
  if (reconvergence >= 0 && (join < 0 || joins_[join].pc != reconvergence)) {
    join = new_join(reconvergence, join, current().lanes);
    jumping.join = join;
    staying.join = join;
  }
  remove_current();
  const Split& first = next_first ? staying : jumping;
  const Split& second = next_first ? jumping : staying;
  for (const Split* split : {&second, &first}) {
    if (split->join >= 0 && joins_[split->join].pc == split->pc) {
      arrive(split->join, split->lanes);
    } else {
      splits_.push_back(*split);
      current_ = splits_.size() - 1;
    }
  }
}

bool Splits::move_to(std::int32_t pc)
{
  Split& split = current();
  split.pc = pc;
  if (split.join < 0 || joins_[split.join].pc != pc) return true;
  const std::int32_t join = split.join;
  const isa::LaneMask lanes = split.lanes;
  remove_current();
  arrive(join, lanes);
  if (splits_.empty()) return false;
  return can_run(current()) || rotate();
}

void Splits::arrive(std::int32_t join, isa::LaneMask lanes)
{
  for (;;) {
    Join& meeting = joins_[join];
    meeting.arrived |= lanes;
    meeting.pending &= ~lanes;
    if (meeting.pending != 0) return;
    Split merged;
    merged.lanes = meeting.arrived;
    merged.pc = meeting.pc;
    merged.join = meeting.parent;
    free_join(join);
    if (merged.join < 0 || joins_[merged.join].pc != merged.pc) {
      add_merged(merged);
      prune();
      return;
    }
    join = merged.join;
    lanes = merged.lanes;
  }
}

void Splits::exit(isa::LaneMask lanes)
{
  std::int32_t join = current().join;
  live_ &= ~lanes;
  current().lanes &= ~lanes;
  if (current().lanes == 0) remove_current();
  while (join >= 0) {
    const std::int32_t parent = joins_[join].parent;
    joins_[join].pending &= ~lanes;
    if (joins_[join].pending == 0) {
      const isa::LaneMask waiting = joins_[join].arrived;
      if (waiting == 0) {
        free_join(join);
      } else {
        arrive(join, waiting);
      }
    }
    join = parent;
  }
  prune();
}

bool Splits::rotate()
{
  for (std::size_t step = 1; step <= splits_.size(); ++step) {
    const std::size_t candidate = (current_ + step) % splits_.size();
    if (!can_run(splits_[candidate])) continue;
    current_ = candidate;
    return true;
  }
  return false;
}

bool Splits::release_join()
{
  for (Join& join : joins_) {
    if (!join.in_use || join.arrived == 0) continue;
    Split split;
    split.lanes = join.arrived;
    split.pc = join.pc;
    split.join = join.parent;
    released_ |= join.arrived;
    join.arrived = 0;
    if (split.join >= 0 && joins_[split.join].pc == split.pc) {
      arrive(split.join, split.lanes);
      return release_join();
    }
    add_merged(split);
    return true;
  }
  return false;
}

isa::LaneMask Splits::joining() const
{
  isa::LaneMask lanes = 0;
  for (const Join& join : joins_) {
    if (join.in_use) lanes |= join.arrived;
  }
  return lanes;
}

/// Lanes that were let go early and met again at the same place are one split from here on.
void Splits::add_merged(Split split)
{
  for (std::size_t place = 0; place < splits_.size(); ++place) {
    const Split& other = splits_[place];
    if (other.pc != split.pc || other.join != split.join || other.state != SplitState::ready) continue;
    split.lanes |= other.lanes;
    splits_.erase(splits_.begin() + static_cast<std::ptrdiff_t>(place));
    break;
  }
  splits_.push_back(split);
  current_ = splits_.size() - 1;
}

void Splits::remove_current()
{
  splits_.erase(splits_.begin() + static_cast<std::ptrdiff_t>(current_));
  // The youngest is the most deeply nested one, for which others wait.
  current_ = splits_.empty() ? 0 : splits_.size() - 1;
}

/// With a single split and nobody at a meeting place there is nothing left to meet.
void Splits::prune()
{
  if (splits_.size() != 1 || joins_in_use_ == 0 || joining() != 0) return;
  joins_.clear();
  joins_in_use_ = 0;
  splits_[0].join = -1;
  released_ &= ~splits_[0].lanes;
}

}  // namespace flashgate::gpu
