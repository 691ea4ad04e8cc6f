#include "gpu/emulator/hang_report.h"

#include <bit>
#include <map>

#include "gpu/emulator/report.h"

namespace flashgate::gpu {
namespace {

/// Who is at one place, of one block.
struct Group
{
  const Warp* first = nullptr;
  isa::LaneMask lanes = 0;  ///< of the first
  Split split;
  std::vector<std::uint32_t> warps;
  std::uint32_t threads = 0;
};

std::string barrier_text(const Block& block, std::uint32_t number)
{
  const NamedBarrier& barrier = block.barriers[number];
  const std::uint32_t expected = barrier.expected == 0 ? block.live_threads : barrier.expected;
  return "wait at barrier " + std::to_string(number) + ": " + std::to_string(barrier.arrived) + " of " +
         std::to_string(expected) + " threads arrived, " + std::to_string(block.threads - block.live_threads) +
         " exited";
}

std::string group_text(const Block& block, const Group& group, const std::string& spin)
{
  std::string text = warp_list(group.warps) + " (" + std::to_string(group.threads) + " threads) ";
  switch (group.split.state) {
    case SplitState::barrier:
      return text + barrier_text(block, group.split.barrier);
    case SplitState::aligned_barrier:
      return text + "wait for the rest of their warp before a barrier";
    case SplitState::warp_sync:
      return text + "wait for other lanes of their warp";
    default:
      return text + "spin: " + spin;
  }
}

void report_block(Engine& engine, const Block& block, const std::string& spin)
{
  std::map<std::pair<std::int32_t, SplitState>, Group> groups;
  for (const auto& warp : block.warps) {
    for (const Split& split : warp->splits.all()) {
      Group& group = groups[{split.pc, split.state}];
      if (group.first == nullptr) {
        group.first = warp.get();
        group.split = split;
      }
      if (group.first == warp.get()) group.lanes |= split.lanes;
      if (group.warps.empty() || group.warps.back() != warp->id) group.warps.push_back(warp->id);
      group.threads += static_cast<std::uint32_t>(std::popcount(split.lanes));
    }
  }
  for (const auto& entry : groups) {
    const Group& group = entry.second;
    report(engine, *group.first, Check::hang, group.lanes, entry.first.first, -1, group_text(block, group, spin));
  }
}

}  // namespace

void report_hang(Engine& engine, const std::vector<std::unique_ptr<Block>>& blocks) { report_spin(engine, blocks, ""); }

void report_spin(Engine& engine, const std::vector<std::unique_ptr<Block>>& blocks, const std::string& reason)
{
  for (const auto& block : blocks) {
    if (block->is_running && block->live_threads != 0) report_block(engine, *block, reason);
  }
}

}  // namespace flashgate::gpu
