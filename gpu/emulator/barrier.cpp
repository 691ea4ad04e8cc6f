#include "gpu/emulator/barrier.h"

#include <bit>

#include "gpu/emulator/memory/memory_events.h"
#include "gpu/emulator/report.h"

namespace flashgate::gpu {
namespace {

std::uint32_t count_of(isa::LaneMask lanes) { return static_cast<std::uint32_t>(std::popcount(lanes)); }

std::uint32_t uniform_value(const Warp& warp, std::uint32_t slot, isa::LaneMask lanes)
{
  return warp.lanes<std::uint32_t>(slot)[std::countr_zero(lanes)];
}

bool same_source(const Program& program, std::int32_t a, std::int32_t b)
{
  if (a == b) return true;
  const std::int32_t first = program.sites[a].location;
  const std::int32_t second = program.sites[b].location;
  if (first < 0 || second < 0) return false;
  const SourcePlace& one = program.places[first];
  const SourcePlace& other = program.places[second];
  return one.file == other.file && one.line == other.line;
}

/// What must agree with those who came before.
void compare_arrivals(Engine& engine, const Warp& warp, const NamedBarrier& barrier, std::uint32_t number,
                      std::int32_t instruction, std::uint32_t expected, isa::LaneMask lanes)
{
  if (barrier.expected != expected) {
    const auto say = [](std::uint32_t count) { return count == 0 ? std::string("all") : std::to_string(count); };
    report(engine, warp, Check::barrier_divergence, lanes, instruction, barrier.first,
           "barrier " + std::to_string(number) + " waits for " + say(expected) + " threads here and for " +
               say(barrier.expected) + " there");
  } else if (expected == 0 && !same_source(engine.program, instruction, barrier.first)) {
    report(engine, warp, Check::barrier_divergence, lanes, instruction, barrier.first,
           "barrier " + std::to_string(number) +
               " is reached here while other threads of the block wait at another place");
  }
}

/// Threads have exited without which this barrier is complete.
void report_exited(Engine& engine, Block& block, const NamedBarrier& barrier, std::int32_t instruction)
{
  if (block.live_threads == block.threads || barrier.expected != 0) return;
  bool idiom = true;
  std::uint32_t exited = 0;
  for (const auto& warp : block.warps) {
    const isa::LaneMask gone = warp->started & ~warp->live;
    exited += count_of(gone);
    if (gone != 0 && (warp->live != 0 || warp->used_barrier)) idiom = false;
  }
  const Warp* at = nullptr;
  for (const auto& warp : block.warps) {
    if (warp->live != 0 && at == nullptr) at = warp.get();
  }
  if (at == nullptr) at = block.warps.front().get();
  report(engine, *at, idiom ? Check::early_exit : Check::barrier_exit, at->live, instruction, -1,
         idiom ? std::to_string(exited) + " threads, whole warps, had exited before the barrier that the others use"
               : "the barrier completed only because " + std::to_string(exited) + " threads had exited");
}

void give_result(Warp& warp, const isa::Instruction& instruction, isa::LaneMask lanes, const NamedBarrier& barrier)
{
  const auto operation = static_cast<BarrierOperation>(instruction.a & 0xFF);
  if (operation == BarrierOperation::sync || operation == BarrierOperation::arrive) return;
  const std::uint32_t slot = instruction.slot[2];
  if (operation == BarrierOperation::red_popc) {
    auto* result = warp.lanes<std::uint32_t>(slot);
    for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1)
      result[std::countr_zero(rest)] = barrier.true_count;
    return;
  }
  const bool holds =
      operation == BarrierOperation::red_and ? barrier.true_count == barrier.red_count : barrier.true_count != 0;
  warp.predicates[slot] = holds ? warp.predicates[slot] | lanes : warp.predicates[slot] & ~lanes;
}

/// Lets everybody go who waits at the barrier.
void complete(Engine& engine, Block& block, std::uint32_t number, std::int32_t instruction)
{
  NamedBarrier barrier = std::move(block.barriers[number]);
  block.barriers[number] = NamedBarrier();
  report_exited(engine, block, barrier, instruction);
  ++engine.counters.barriers;
  engine.last_progress = engine.executed;
  barrier_complete(block.memory, number);
  for (const NamedBarrier::Waiter& waiter : barrier.waiters) {
    Warp& warp = *waiter.warp;
    const isa::LaneMask lanes = waiter.lanes & warp.live;
    if (lanes == 0) continue;
    give_result(warp, engine.program.instructions[waiter.instruction], lanes, barrier);
    barrier_resume(warp, number, lanes);
    for (Split& split : warp.splits.all()) {
      if (split.state == SplitState::barrier && (split.lanes & lanes) != 0) split.state = SplitState::resume;
    }
    warp.is_blocked = false;
  }
}

std::uint32_t target_count(const Block& block, const NamedBarrier& barrier)
{
  return barrier.expected == 0 ? block.live_threads : barrier.expected;
}

void add_predicate(NamedBarrier& barrier, const Warp& warp, const isa::Instruction& instruction, isa::LaneMask lanes)
{
  if ((instruction.a & 0xFF) < static_cast<std::uint32_t>(BarrierOperation::red_popc)) return;
  isa::LaneMask holds = warp.predicates[instruction.slot[3]];
  if ((instruction.a & kBarrierNegated) != 0) holds = ~holds;
  barrier.true_count += count_of(holds & lanes);
  barrier.red_count += count_of(lanes);
}

/// The barrier's number; one that does not exist is a finding.
std::uint32_t barrier_number(Engine& engine, const Warp& warp, const isa::Instruction& instruction, isa::LaneMask lanes)
{
  const std::uint32_t number = uniform_value(warp, instruction.slot[0], lanes);
  if (number < kBarriers) return number;
  report(engine, warp, Check::barrier_divergence, lanes, instruction.index, -1,
         "there is no barrier " + std::to_string(number) + ": a block has 16");
  return number % kBarriers;
}

std::uint32_t expected_threads(Engine& engine, const Warp& warp, const isa::Instruction& instruction,
                               isa::LaneMask lanes)
{
  if (instruction.slot[1] == isa::kNoSlot) return 0;
  const std::uint32_t count = uniform_value(warp, instruction.slot[1], lanes);
  if (count == 0 || count % isa::kLanes != 0) {
    report(engine, warp, Check::barrier_divergence, lanes, instruction.index, -1,
           "the barrier's thread count " + std::to_string(count) + " is not a multiple of the warp size");
  }
  return (count + isa::kLanes - 1) / isa::kLanes * isa::kLanes;
}

}  // namespace

bool arrive_at_barrier(Engine& engine, Warp& warp, const isa::Instruction& instruction, isa::LaneMask lanes)
{
  Block& block = *warp.block;
  const std::uint32_t number = barrier_number(engine, warp, instruction, lanes);
  const std::uint32_t expected = expected_threads(engine, warp, instruction, lanes);
  NamedBarrier& barrier = block.barriers[number];
  if (barrier.arrived == 0) {
    barrier.expected = expected;
    barrier.first = instruction.index;
  } else {
    compare_arrivals(engine, warp, barrier, number, instruction.index, expected, lanes);
  }
  // A count is in whole warps: lanes that never were or are gone count with those present.
  barrier.arrived += expected != 0 && lanes == warp.live ? isa::kLanes : count_of(lanes);
  warp.used_barrier = true;
  engine.last_progress = engine.executed;
  barrier_arrive(warp, number, lanes);
  add_predicate(barrier, warp, instruction, lanes);
  const bool waits = static_cast<BarrierOperation>(instruction.a & 0xFF) != BarrierOperation::arrive;
  if (waits) {
    barrier.waiters.push_back({&warp, lanes, instruction.index});
  }
  for (Split& split : warp.splits.all()) {
    if ((split.lanes & lanes) == 0) continue;
    split.state = waits ? SplitState::barrier : SplitState::resume;
    split.barrier = number;
  }
  if (barrier.arrived > target_count(block, barrier)) {
    report(engine, warp, Check::barrier_divergence, lanes, instruction.index, barrier.first,
           std::to_string(barrier.arrived) + " threads arrived at barrier " + std::to_string(number) + " of " +
               std::to_string(target_count(block, barrier)));
  }
  if (barrier.arrived >= target_count(block, barrier)) complete(engine, block, number, instruction.index);
  if (warp.splits.current().state != SplitState::resume) return false;
  warp.splits.current().state = SplitState::ready;
  return true;
}

void recheck_barriers(Engine& engine, Block& block)
{
  for (std::uint32_t number = 0; number < kBarriers; ++number) {
    const NamedBarrier& barrier = block.barriers[number];
    if (barrier.arrived == 0 || barrier.expected != 0) continue;
    if (block.live_threads != 0 && barrier.arrived >= block.live_threads) {
      complete(engine, block, number, barrier.first);
    }
  }
}

}  // namespace flashgate::gpu
