#include "gpu/emulator/memory/memory_events.h"

#include <algorithm>

#include "gpu/emulator/memory/address.h"

namespace flashgate::gpu {
namespace {

bool keeps_clocks(const MemoryContext& context)
{
  const CheckSet& checks = context.checks;
  return checks.has(Check::race_shared) || checks.has(Check::race_global) || checks.has(Check::async_read);
}

void make_shared_memory(const MemoryContext& context, BlockMemory& block)
{
  const std::size_t bytes = context.shared_bytes;
  if (block.shared.size() != bytes || block.warps != context.warps_per_block) {
    block.shared.resize(bytes);
    block.race.reset();
  }
  std::fill(block.shared.begin(), block.shared.end(), kPoison);
  if (context.checks.has(Check::uninit_shared)) block.written = WrittenBits(bytes);
  const bool tracks = context.checks.has(Check::race_shared) || context.checks.has(Check::async_read);
  if (!tracks) {
    block.race.reset();
  } else if (block.race == nullptr) {
    block.race = std::make_unique<SharedRace>(bytes, context.warps_per_block);
  }
}

void start_warp(const MemoryContext& context, WarpMemory& memory)
{
  const std::size_t local = std::size_t{context.local_bytes} * isa::kLanes;
  memory.local_bytes = context.local_bytes;
  memory.local.assign(local, kPoison);
  memory.local_written = WrittenBits(context.checks.has(Check::uninit_local) ? local : 0);
  memory.copies.clear();
}

}  // namespace

void kernel_starts(MemoryContext& context)
{
  context.global->begin_launch(context.checks.has(Check::uninit_global));
  context.sync.clear();
  context.sites.clear();
  context.benign_stores = 0;
  context.keeps_clocks = keeps_clocks(context);
}

void kernel_ends(MemoryContext& context)
{
  context.global->drop_race_cells();
  context.sync.clear();
}

void block_starts(MemoryContext& context, BlockMemory& block, Dim3 index, std::uint32_t number,
                  std::span<MemoryWarp* const> warps)
{
  make_shared_memory(context, block);
  block.index = index;
  block.number = number;
  block.warps = context.warps_per_block;
  block.members.assign(warps.begin(), warps.end());
  block.sync.clear();
  block.barriers.clear();
  const std::uint32_t clock = block.race != nullptr ? block.race->first_clock() : 1;
  for (MemoryWarp* warp : warps) {
    start_warp(context, warp->memory);
    warp->memory.clock.start(warp->id, context.warps_per_block, number, clock);
  }
}

void block_ends(BlockMemory& block)
{
  std::uint32_t clock = 0;
  bool copies = false;
  for (const MemoryWarp* warp : block.members) {
    clock = std::max(clock, warp->memory.clock.now);
    copies = copies || !warp->memory.copies.empty();
  }
  if (block.race != nullptr) block.race->block_ended(clock, copies);
  block.members.clear();
}

void lanes_exit(MemoryWarp&, isa::LaneMask) {}

void barrier_arrive(MemoryWarp& warp, std::uint32_t barrier, isa::LaneMask)
{
  if (!warp.context->keeps_clocks) return;
  WarpClock& clock = warp.memory.clock;
  clock.learn_heard();
  warp.block_memory->barriers[barrier].arriving.join(clock.passed_on(clock.now));
  clock.tick();
}

void barrier_complete(BlockMemory& block, std::uint32_t barrier)
{
  const auto at = block.barriers.find(barrier);
  if (at == block.barriers.end()) return;
  at->second.complete = std::move(at->second.arriving);
  at->second.arriving = Knowledge{};
}

void barrier_resume(MemoryWarp& warp, std::uint32_t barrier, isa::LaneMask lanes)
{
  if (!warp.context->keeps_clocks) return;
  WarpClock& clock = warp.memory.clock;
  clock.learn(warp.block_memory->barriers[barrier].complete);
  clock.lanes_meet(lanes, warp.live);
}

void lanes_meet(MemoryWarp& warp, isa::LaneMask lanes)
{
  if (warp.context->keeps_clocks) warp.memory.clock.lanes_meet(lanes, warp.live);
}

}  // namespace flashgate::gpu
