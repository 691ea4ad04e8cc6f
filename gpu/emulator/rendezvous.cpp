#include "gpu/emulator/rendezvous.h"

#include <bit>

#include "gpu/emulator/barrier.h"
#include "gpu/emulator/memory/memory_events.h"
#include "gpu/emulator/report.h"

namespace flashgate::gpu {
namespace {

isa::LaneMask members_of(const Warp& warp, const InstructionFlow& flow, isa::LaneMask lanes)
{
  if (flow.kind == FlowKind::barrier) return flow.aligned ? warp.live : lanes;
  if (flow.members == isa::kNoSlot) return isa::kAllLanes;
  return warp.lanes<isa::LaneMask>(flow.members)[std::countr_zero(lanes)];
}

/// True if those at `other` wait for the same thing as those at `at`.
bool same_operation(const Engine& engine, std::int32_t at, std::int32_t other)
{
  if (at == other) return true;
  return engine.program.instructions[at].run == sync_lanes && engine.program.instructions[other].run == sync_lanes;
}

bool waits_in_warp(const Split& split)
{
  return split.state == SplitState::warp_sync || split.state == SplitState::aligned_barrier;
}

/// The lanes of the warp that are at the current split's operation, itself included.
isa::LaneMask gathered(const Engine& engine, Warp& warp, isa::LaneMask members)
{
  const Split& current = warp.splits.current();
  isa::LaneMask lanes = current.lanes;
  for (const Split& split : warp.splits.all()) {
    if (waits_in_warp(split) && split.members == members && same_operation(engine, current.pc, split.pc)) {
      lanes |= split.lanes;
    }
  }
  return lanes;
}

/// The lane that `lane` reads in a shuffle, by the ISA's formula; its own where that one is out of its segment.
std::uint32_t shuffle_source(isa::Mode mode, std::uint32_t lane, std::uint32_t b, std::uint32_t c)
{
  const std::uint32_t segment = c >> 8 & 31;
  const std::uint32_t distance = b & 31;
  const std::uint32_t bound = (lane & segment) | (c & 31 & ~segment);
  std::uint32_t source = 0;
  switch (mode) {
    case isa::Mode::up:
      source = lane - distance;
      break;
    case isa::Mode::down:
      source = lane + distance;
      break;
    case isa::Mode::bfly:
      source = lane ^ distance;
      break;
    default:
      source = (lane & segment) | (distance & ~segment);
      break;
  }
  const bool inside =
      mode == isa::Mode::up ? static_cast<std::int32_t>(source) >= static_cast<std::int32_t>(bound) : source <= bound;
  return inside ? source : lane;
}

/// Reports lanes that read, by a shuffle, what lanes that take no part in it hold: undefined by the ISA.
void judge_shuffle(Engine& engine, Warp& warp, const isa::Instruction& instruction, isa::Mode mode, isa::LaneMask lanes)
{
  constexpr int kDistanceSlot = 3;
  constexpr int kBoundSlot = 4;
  const auto* const b = warp.lanes<std::uint32_t>(instruction.slot[kDistanceSlot]);
  const auto* const c = warp.lanes<std::uint32_t>(instruction.slot[kBoundSlot]);
  isa::LaneMask readers = 0;
  isa::LaneMask sources = 0;
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t source = shuffle_source(mode, lane, b[lane], c[lane]);
    if ((lanes >> source & 1) != 0) continue;
    readers |= isa::LaneMask{1} << lane;
    sources |= isa::LaneMask{1} << source;
  }
  if (readers != 0) {
    report(engine, warp, Check::warp_divergence, readers, instruction.index, -1,
           lane_list(readers) + " read by shuffle from " + lane_list(sources) + ", which take no part");
  }
}

/// Reports what is wrong with an operation that `lanes` carry out.
void judge(Engine& engine, Warp& warp, const isa::Instruction& instruction, const InstructionFlow& flow,
           isa::LaneMask members, isa::LaneMask lanes)
{
  if (flow.kind == FlowKind::barrier) {
    const isa::LaneMask missing = members & ~lanes & warp.live;
    if (missing != 0) {
      report(engine, warp, Check::barrier_divergence, lanes, instruction.index, -1,
             lane_list(lanes) + " of a warp arrive at the barrier without " + lane_list(missing));
    }
    return;
  }
  // Who exited before others came here need not be waited for, unless that came from being let go past this place.
  const isa::LaneMask excused = flow.members == isa::kNoSlot && flow.aligned ? 0 : ~warp.live & ~warp.splits.released();
  const isa::LaneMask missing = members & ~lanes & ~excused;
  if (missing != 0) {
    report(engine, warp, Check::warp_divergence, lanes, instruction.index, -1,
           "executed by " + lane_list(lanes) + " without " + lane_list(missing) +
               ((missing & warp.live) == 0 ? ", which exited" : ", which are elsewhere"));
  }
  if ((lanes & ~members) != 0) {
    report(engine, warp, Check::warp_divergence, lanes & ~members, instruction.index, -1,
           "executed by " + lane_list(lanes & ~members) + " with a member mask that does not name them");
  }
  if (flow.shuffle != isa::Mode::none) judge_shuffle(engine, warp, instruction, flow.shuffle, lanes);
}

/// Carries the current split's operation out for `lanes`, its own and those of others that wait at it. The splits'
/// states say who may go on.
void carry_out(Engine& engine, Warp& warp, const isa::Instruction& instruction, const InstructionFlow& flow,
               isa::LaneMask members, isa::LaneMask lanes)
{
  judge(engine, warp, instruction, flow, members, lanes);
  if (flow.kind == FlowKind::barrier) {
    if (arrive_at_barrier(engine, warp, instruction, lanes)) warp.splits.current().state = SplitState::resume;
    return;
  }
  for (Split& split : warp.splits.all()) {
    if ((split.lanes & lanes) != 0) split.state = SplitState::resume;
  }
  // Matrix operations are defined for whole warps only.
  const bool whole = flow.aligned && flow.members == isa::kNoSlot;
  instruction.run(warp, instruction, whole ? isa::kAllLanes : lanes);
}

/// Carries out what the split at `place` waits for, with those who are there. Unless `force`, only if nobody is
/// missing.
bool try_split(Engine& engine, Warp& warp, std::size_t place, bool force)
{
  warp.splits.select(place);
  const Split split = warp.splits.current();
  const isa::LaneMask lanes = gathered(engine, warp, split.members);
  if (!force && (split.members & warp.live & ~lanes) != 0) return false;
  carry_out(engine, warp, engine.program.instructions[split.pc], engine.program.flow[split.pc], split.members, lanes);
  return true;
}

template <typename Wanted>
bool try_splits(Engine& engine, Warp& warp, bool force, const Wanted& wanted)
{
  for (std::size_t place = 0; place < warp.splits.all().size(); ++place) {
    const Split& split = warp.splits.all()[place];
    if (waits_in_warp(split) && wanted(split) && try_split(engine, warp, place, force)) return true;
  }
  return false;
}

/// Lanes of the current split whose member mask is that of its first lane.
isa::LaneMask lanes_of_one_mask(const Warp& warp, const InstructionFlow& flow, isa::LaneMask lanes)
{
  if (flow.members == isa::kNoSlot) return lanes;
  const auto* const members = warp.lanes<isa::LaneMask>(flow.members);
  const isa::LaneMask first = members[std::countr_zero(lanes)];
  isa::LaneMask same = 0;
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (members[lane] == first) same |= isa::LaneMask{1} << lane;
  }
  return same;
}

/// Groups of lanes with member masks of their own execute the instruction together (tiles of a warp). True if each mask
/// names just its group, so that nobody has to wait; then it was carried out.
bool meet_in_groups(Engine& engine, Warp& warp, const isa::Instruction& instruction, const InstructionFlow& flow)
{
  const isa::LaneMask lanes = warp.splits.current().lanes;
  const auto* const members = warp.lanes<isa::LaneMask>(flow.members);
  for (isa::LaneMask rest = lanes; rest != 0;) {
    const isa::LaneMask group = lanes_of_one_mask(warp, flow, rest);
    if ((members[std::countr_zero(rest)] & warp.live) != group) return false;
    rest &= ~group;
  }
  for (isa::LaneMask rest = lanes; rest != 0;) {
    const isa::LaneMask group = lanes_of_one_mask(warp, flow, rest);
    judge(engine, warp, instruction, flow, members[std::countr_zero(rest)], group);
    instruction.run(warp, instruction, group);
    rest &= ~group;
  }
  return true;
}

}  // namespace

bool meet(Engine& engine, Warp& warp, const isa::Instruction& instruction, const InstructionFlow& flow)
{
  const isa::LaneMask same = lanes_of_one_mask(warp, flow, warp.splits.current().lanes);
  if (same != warp.splits.current().lanes) {
    if (meet_in_groups(engine, warp, instruction, flow)) return true;
    warp.splits.diverge(same, instruction.index, instruction.index, instruction.index + 1, false);
    return false;
  }
  Split& split = warp.splits.current();
  split.members = members_of(warp, flow, split.lanes);
  const isa::LaneMask lanes = gathered(engine, warp, split.members);
  if ((split.members & warp.live & ~lanes) != 0) {
    split.state = flow.kind == FlowKind::barrier ? SplitState::aligned_barrier : SplitState::warp_sync;
    return false;
  }
  carry_out(engine, warp, instruction, flow, split.members, lanes);
  Split& after = warp.splits.current();
  if (after.state != SplitState::resume) return false;
  after.state = SplitState::ready;
  return true;
}

bool settle_warp(Engine& engine, Warp& warp)
{
  if (try_splits(engine, warp, false, [](const Split&) { return true; })) return true;
  for (const Split& split : warp.splits.all()) {
    if (split.state == SplitState::barrier) return false;
  }
  return force_warp(engine, warp);
}

bool force_warp(Engine& engine, Warp& warp)
{
  // Who is past an aligned operation can't come to it any more; for others it is worth while to go on first.
  const auto aligned = [&](const Split& split) { return engine.program.flow[split.pc].aligned; };
  const bool changed = try_splits(engine, warp, true, aligned) || warp.splits.release_join() ||
                       try_splits(engine, warp, true, [](const Split&) { return true; });
  if (changed) warp.is_blocked = false;
  return changed;
}

void exit_lanes(Engine& engine, Warp& warp, isa::LaneMask lanes)
{
  warp.splits.exit(lanes);
  warp.live = warp.splits.live();
  lanes_exit(warp, lanes);
  engine.last_progress = engine.executed;
  warp.block->live_threads -= static_cast<std::uint32_t>(std::popcount(lanes));
  recheck_barriers(engine, *warp.block);
}

void sync_lanes(isa::Registers& registers, const isa::Instruction&, isa::LaneMask lanes)
{
  lanes_meet(static_cast<Warp&>(registers), lanes);
}

}  // namespace flashgate::gpu
