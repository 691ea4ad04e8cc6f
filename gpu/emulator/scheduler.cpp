#include "gpu/emulator/scheduler.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "gpu/emulator/hang_report.h"
#include "gpu/emulator/interpreter.h"
#include "gpu/emulator/memory/memory_events.h"
#include "gpu/emulator/rendezvous.h"
#include "gpu/emulator/special_values.h"

namespace flashgate::gpu {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::uint32_t warps_of(const Dim3& block)
{
  return static_cast<std::uint32_t>((block.count() + isa::kLanes - 1) / isa::kLanes);
}

template <typename T>
void fill_slot(Warp& warp, std::uint32_t slot, std::uint64_t bits)
{
  std::fill_n(warp.lanes<T>(slot), isa::kLanes, static_cast<T>(bits));
}

}  // namespace

std::uint64_t ScheduleRandom::below(std::uint64_t bound)
{
  // splitmix64; the bias of the remainder does not matter for schedules.
  state_ += 0x9E37'79B9'7F4A'7C15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
  z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
  return (z ^ (z >> 31)) % bound;
}

Scheduler::Scheduler(Engine& engine) : engine_(engine)
{
  order_blocks();
  make_places();
}

void Scheduler::order_blocks()
{
  block_count_ = static_cast<std::uint32_t>(engine_.config.grid.count());
  if (engine_.options.seed == 0) return;
  order_.resize(block_count_);
  std::iota(order_.begin(), order_.end(), 0U);
  for (std::size_t left = order_.size(); left > 1; --left) {
    std::swap(order_[left - 1], order_[engine_.random.below(left)]);
  }
}

void Scheduler::make_places()
{
  const std::size_t wanted = engine_.config.cooperative ? block_count_ : engine_.options.resident_blocks;
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, block_count_);
  for (std::size_t place = 0; place < count; ++place)
    places_.push_back(make_place());
}

std::unique_ptr<Block> Scheduler::make_place()
{
  const Program& program = engine_.program;
  auto block = std::make_unique<Block>();
  const std::uint32_t warps = warps_of(engine_.config.block);
  const std::size_t bytes = aligned(program.register_bytes);
  block->register_file.resize(warps * bytes + kAlignment);
  block->predicate_file.resize(std::size_t{warps} * program.predicate_count);
  const auto address = reinterpret_cast<std::uintptr_t>(block->register_file.data());
  std::byte* const first = block->register_file.data() + (kAlignment - address % kAlignment) % kAlignment;
  for (std::uint32_t id = 0; id < warps; ++id) {
    auto warp = std::make_unique<Warp>();
    warp->values = first + id * bytes;
    warp->predicates = block->predicate_file.data() + std::size_t{id} * program.predicate_count;
    warp->context = &engine_.memory;
    warp->block_memory = &block->memory;
    warp->id = id;
    warp->engine = &engine_;
    warp->block = block.get();
    fill_constants(*warp);
    block->warps.push_back(std::move(warp));
  }
  return block;
}

void Scheduler::fill_constants(Warp& warp) const
{
  for (const ConstantSlot& constant : engine_.program.constants) {
    switch (constant.width) {
      case 2:
        fill_slot<std::uint16_t>(warp, constant.slot, constant.bits);
        break;
      case 4:
        fill_slot<std::uint32_t>(warp, constant.slot, constant.bits);
        break;
      default:
        fill_slot<std::uint64_t>(warp, constant.slot, constant.bits);
        break;
    }
  }
}

bool Scheduler::start_next(Block& block)
{
  if (next_ == block_count_) return false;
  const std::uint32_t number = order_.empty() ? next_ : order_[next_];
  ++next_;
  const Dim3& grid = engine_.config.grid;
  block.number = number;
  block.index = {number % grid.x, number / grid.x % grid.y,
                 static_cast<std::uint32_t>(number / (std::uint64_t{grid.x} * grid.y))};
  block.barriers.fill(NamedBarrier());
  block.threads = static_cast<std::uint32_t>(engine_.config.block.count());
  block.live_threads = block.threads;
  block.is_running = true;
  block.next_warp = 0;
  start_warps(block);
  return true;
}

void Scheduler::start_warps(Block& block)
{
  std::vector<MemoryWarp*> warps;
  std::uint32_t left = block.threads;
  for (auto& warp : block.warps) {
    warp->started = left >= isa::kLanes ? isa::kAllLanes : (isa::LaneMask{1} << left) - 1;
    left -= std::min<std::uint32_t>(left, isa::kLanes);
    warp->live = warp->started;
    warp->splits.start(warp->started);
    warp->used_barrier = false;
    warp->is_blocked = false;
    if (engine_.check_registers) {
      warp->initialised.assign(engine_.program.register_names.size(), 0);
      warp->segment_checked.assign(engine_.program.instructions.size(), false);
    }
    fill_special_slots(engine_, *warp);
    warps.push_back(warp.get());
  }
  block_starts(engine_.memory, block.memory, block.index, block.number, warps);
}

void Scheduler::run()
{
  std::size_t running = 0;
  for (auto& place : places_)
    running += start_next(*place) ? 1 : 0;
  std::size_t turn = 0;
  std::size_t idle = 0;
  while (running != 0) {
    Block& block = *places_[turn];
    turn = (turn + 1) % places_.size();
    if (!block.is_running) continue;
    if (run_block(block)) {
      idle = 0;
    } else if (++idle >= running) {
      force_any();
      idle = 0;
    }
    if (block.live_threads == 0) {
      end_block(block);
      if (!start_next(block)) --running;
    }
    check_budgets();
  }
}

Warp* Scheduler::next_warp(Block& block)
{
  const std::size_t count = block.warps.size();
  const std::size_t first = engine_.options.seed == 0 ? block.next_warp : engine_.random.below(count);
  for (std::size_t step = 0; step < count; ++step) {
    Warp& warp = *block.warps[(first + step) % count];
    if (warp.is_blocked || warp.splits.empty()) continue;
    block.next_warp = (first + step + 1) % count;
    return &warp;
  }
  return nullptr;
}

bool Scheduler::run_block(Block& block)
{
  bool ran = false;
  const bool alone = places_.size() == 1;
  // With several blocks resident each gets about as many turns as it has warps.
  for (std::size_t turns = 0; alone || turns < block.warps.size(); ++turns) {
    Warp* const warp = next_warp(block);
    if (warp == nullptr) break;
    run_warp(engine_, *warp);
    ran = true;
    if (alone) check_budgets();
  }
  return ran;
}

void Scheduler::end_block(Block& block)
{
  block_ends(block.memory);
  block.is_running = false;
}

void Scheduler::check_budgets()
{
  if (engine_.executed - engine_.last_progress > engine_.options.spin_budget) {
    report_spin(engine_, places_,
                "no store, barrier or exit in " + std::to_string(engine_.options.spin_budget) + " instructions");
    throw LaunchEnded{};
  }
  if (engine_.executed > engine_.options.instruction_budget) {
    report_spin(engine_, places_,
                "the budget of " + std::to_string(engine_.options.instruction_budget) + " instructions is used up");
    throw LaunchEnded{};
  }
}

/// Nothing can run. If no warp has lanes that can be let go, it is a hang.
void Scheduler::force_any()
{
  bool changed = false;
  for (auto& place : places_) {
    if (!place->is_running || place->live_threads == 0) continue;
    for (auto& warp : place->warps) {
      if (!warp->splits.empty() && force_warp(engine_, *warp)) changed = true;
    }
  }
  if (changed) return;
  report_hang(engine_, places_);
  throw LaunchEnded{};
}

}  // namespace flashgate::gpu
