#include "gpu/emulator/interpreter.h"

#include <algorithm>

#include "gpu/emulator/register_check.h"
#include "gpu/emulator/rendezvous.h"
#include "gpu/emulator/report.h"

namespace flashgate::gpu {
namespace {

isa::LaneMask active_lanes(const Warp& warp, const isa::Instruction& instruction, isa::LaneMask lanes)
{
  if (instruction.guard < 0) return lanes;
  const isa::LaneMask guard = warp.predicates[instruction.guard];
  return lanes & (instruction.guard_negated ? ~guard : guard);
}

/// Runs one split of one warp for as long as it is the current one. What it may do is bounded by Engine::quantum.
template <bool kCheckRegisters>
class SplitRun
{
 public:
  SplitRun(Engine& engine, Warp& warp)
      : engine_(engine),
        warp_(warp),
        instructions_(engine.program.instructions.data()),
        flow_(engine.program.flow.data()),
        steps_(engine.execution_steps.data()),
        lanes_(warp.splits.current().lanes),
        whole_(lanes_ == isa::kAllLanes && warp.splits.is_converged()),
        pc_(warp.splits.current().pc),
        stop_(warp.splits.stop())
  {
  }

  void run()
  {
    while (run_segment()) {
    }
  }

 private:
  /// Straight instructions up to the next one that needs a decision, and that one. False if another split is to run.
  bool run_segment()
  {
    const std::int32_t begin = pc_;
    std::int32_t end = whole_ ? flow_[begin].segment_end : flow_[begin].split_end;
    const bool stops = stop_ > begin && stop_ <= end;
    if (stops) end = stop_;
    if constexpr (kCheckRegisters) {
      run_checked(begin, end);
    } else {
      run_straight(begin, end);
    }
    pc_ = end;
    ++steps_[begin];
    const std::int32_t counted = stops ? end : end + 1;
    --steps_[counted];
    engine_.executed += static_cast<std::uint64_t>(counted - begin);
    if (flow_[begin].segment_progress) engine_.last_progress = engine_.executed;
    if (flow_[begin].segment_poll) engine_.last_poll = engine_.executed;
    if (stops) return leave_to(end);
    return decide();
  }

  void run_straight(std::int32_t begin, std::int32_t end)
  {
    const isa::Instruction* const last = instructions_ + end;
    for (const isa::Instruction* at = instructions_ + begin; at != last; ++at)
      at->run(warp_, *at, lanes_);
  }

  /// What a whole warp once passed needs no check any more: what was written stays written.
  void run_checked(std::int32_t begin, std::int32_t end)
  {
    if (whole_ && warp_.segment_checked[begin]) return run_straight(begin, end);
    for (std::int32_t at = begin; at != end; ++at) {
      check_registers(engine_, warp_, at, lanes_);
      instructions_[at].run(warp_, instructions_[at], lanes_);
    }
    if (whole_) warp_.segment_checked[begin] = true;
  }

  /// The split goes on at `pc` and may meet others there.
  bool leave_to(std::int32_t pc)
  {
    warp_.splits.current().pc = pc_;
    warp_.splits.move_to(pc);
    return false;
  }

  bool go_to(std::int32_t pc)
  {
    if (pc == stop_) return leave_to(pc);
    pc_ = pc;
    return true;
  }

  bool decide()
  {
    const isa::Instruction& instruction = instructions_[pc_];
    const isa::LaneMask active = active_lanes(warp_, instruction, lanes_);
    if constexpr (kCheckRegisters) check_guarded(engine_, warp_, pc_, lanes_, active);
    const InstructionFlow& flow = flow_[pc_];
    if (flow.kind == FlowKind::branch) return branch(instruction, flow, active);
    if (active == 0) return go_to(pc_ + 1);
    if (flow.kind == FlowKind::straight) {
      instruction.run(warp_, instruction, active);
      return go_to(pc_ + 1);
    }
    warp_.splits.current().pc = pc_;
    if (active != lanes_ && flow.kind != FlowKind::yield) {
      // As if there were a branch around it.
      warp_.splits.diverge(active, pc_, pc_ + 1, flow.kind == FlowKind::exit ? -1 : pc_ + 1, false);
      return false;
    }
    return control(instruction, flow, active);
  }

  bool branch(const isa::Instruction& instruction, const InstructionFlow& flow, isa::LaneMask active)
  {
    if (active == 0) return go_to(pc_ + 1);
    if (active == lanes_) {
      if (instruction.target <= pc_ && use_quantum()) {
        leave_to(instruction.target);
        return false;
      }
      return go_to(instruction.target);
    }
    if (instruction.target <= pc_) use_quantum();
    const bool next_first = engine_.options.seed == 0 || engine_.random.below(2) == 0;
    warp_.splits.current().pc = pc_;
    warp_.splits.diverge(active, instruction.target, pc_ + 1, flow.reconvergence, next_first);
    engine_.quantum = std::min(engine_.quantum, kSplitQuantum);
    return false;
  }

  bool use_quantum()
  {
    if (engine_.quantum > 0) --engine_.quantum;
    return engine_.quantum == 0;
  }

  bool control(const isa::Instruction& instruction, const InstructionFlow& flow, isa::LaneMask active)
  {
    switch (flow.kind) {
      case FlowKind::branch_table:
        return branch_table(instruction, flow, active);
      case FlowKind::exit:
        exit_lanes(engine_, warp_, active);
        return false;
      case FlowKind::collective:
      case FlowKind::barrier:
        if (!meet(engine_, warp_, instruction, flow)) return false;
        return go_to(pc_ + 1);
      case FlowKind::yield:
        instruction.run(warp_, instruction, active);
        engine_.quantum = 0;
        leave_to(pc_ + 1);
        return false;
      default:
        return go_to(pc_ + 1);
    }
  }

  /// One target after the other parts from the rest.
  bool branch_table(const isa::Instruction& instruction, const InstructionFlow& flow, isa::LaneMask active)
  {
    const auto& table = engine_.program.branch_tables[instruction.immediate];
    const auto* index = warp_.lanes<std::uint32_t>(instruction.slot[0]);
    const std::uint32_t first = index[__builtin_ctz(active)];
    isa::LaneMask same = 0;
    for (isa::LaneMask rest = active; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      if (index[lane] == first) same |= isa::LaneMask{1} << lane;
    }
    if (first >= table.size()) {
      report(engine_, warp_, Check::trap, same, pc_, -1,
             "brx.idx with index " + std::to_string(first) + " of " + std::to_string(table.size()) + " targets");
      throw LaunchEnded{};
    }
    if (table[first] <= pc_) use_quantum();
    if (same == active) {
      leave_to(table[first]);
    } else {
      warp_.splits.diverge(same, table[first], pc_, flow.reconvergence, false);
    }
    return false;
  }

  Engine& engine_;
  Warp& warp_;
  const isa::Instruction* const instructions_;
  const InstructionFlow* const flow_;
  std::uint64_t* const steps_;
  const isa::LaneMask lanes_;
  const bool whole_;
  std::int32_t pc_;
  const std::int32_t stop_;
};

/// After a full turn: those who poll memory must not keep others at the meeting place, who may be whom they wait for.
void end_turn(Engine& engine, Warp& warp, std::uint64_t executed_before)
{
  if (warp.splits.empty()) return;
  const std::size_t ready =
      static_cast<std::size_t>(std::count_if(warp.splits.all().begin(), warp.splits.all().end(), Splits::can_run));
  if (ready > 1) {
    warp.splits.rotate();
  } else if (engine.last_progress <= executed_before && engine.last_poll > executed_before) {
    warp.splits.release_join();
  }
}

}  // namespace

void run_warp(Engine& engine, Warp& warp)
{
  engine.quantum = warp.splits.is_converged() ? kQuantum : kSplitQuantum;
  const std::uint64_t executed_before = engine.executed;
  while (!warp.splits.empty()) {
    Split& split = warp.splits.current();
    if (!Splits::can_run(split) && !warp.splits.rotate()) {
      if (settle_warp(engine, warp)) continue;
      warp.is_blocked = true;
      return;
    }
    Split& chosen = warp.splits.current();
    if (chosen.state == SplitState::resume) {
      chosen.state = SplitState::ready;
      warp.splits.move_to(chosen.pc + 1);
      continue;
    }
    if (engine.check_registers) {
      SplitRun<true>(engine, warp).run();
    } else {
      SplitRun<false>(engine, warp).run();
    }
    if (engine.quantum == 0) return end_turn(engine, warp, executed_before);
  }
}

}  // namespace flashgate::gpu
