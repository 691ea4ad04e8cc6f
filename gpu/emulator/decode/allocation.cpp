#include "gpu/emulator/decode/allocation.h"

#include <algorithm>
#include <map>

#include "gpu/emulator/decode/flow_graph.h"
#include "gpu/emulator/decode/program_builder.h"

namespace flashgate::gpu::decode {
namespace {

/// A set of registers.
class RegisterSet
{
 public:
  explicit RegisterSet(std::size_t registers) : words_((registers + 63) / 64, 0) {}

  bool has(std::uint32_t reg) const { return (words_[reg / 64] >> (reg % 64) & 1U) != 0; }
  void add(std::uint32_t reg) { words_[reg / 64] |= std::uint64_t{1} << (reg % 64); }

  /// this |= (live & ~killed); true if that added something.
  bool add_live(const RegisterSet& live, const RegisterSet& killed)
  {
    bool changed = false;
    for (std::size_t word = 0; word < words_.size(); ++word) {
      const std::uint64_t joined = words_[word] | (live.words_[word] & ~killed.words_[word]);
      changed |= joined != words_[word];
      words_[word] = joined;
    }
    return changed;
  }

  template <typename Visit>
  void each(const Visit& visit) const
  {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1) {
        visit(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(__builtin_ctzll(rest))));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// The instructions between which a register is needed, both included.
struct Interval
{
  std::int32_t first = -1;
  std::int32_t last = -1;

  void include(std::int32_t at)
  {
    first = first < 0 ? at : std::min(first, at);
    last = std::max(last, at);
  }
};

class Liveness
{
 public:
  Liveness(const Program& program, std::size_t registers) : program_(program), graph_(program), intervals_(registers)
  {
    const RegisterSet none(registers);
    live_in_.assign(graph_.size(), none);
    killed_.assign(graph_.size(), none);
    for (std::int32_t block = 0; block < graph_.size(); ++block)
      scan(block);
    propagate();
    for (std::int32_t block = 0; block < graph_.size(); ++block)
      extend(block);
  }

  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  void scan(std::int32_t block)
  {
    for (std::int32_t at = graph_.begin(block); at < graph_.end(block); ++at) {
      const InstructionSite& site = program_.sites[at];
      const auto use = [&](std::uint32_t reg) {
        if (!killed_[block].has(reg)) live_in_[block].add(reg);
        intervals_[reg].include(at);
      };
      if (site.guard >= 0) use(static_cast<std::uint32_t>(site.guard));
      for (const std::uint32_t reg : site.reads)
        use(reg);
      for (const std::uint32_t reg : site.writes) {
        intervals_[reg].include(at);
        // A guarded write leaves the old value in some lanes.
        if (site.guard >= 0) {
          use(reg);
        } else {
          killed_[block].add(reg);
        }
      }
    }
  }

  void propagate()
  {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::int32_t block = graph_.size() - 1; block >= 0; --block) {
        for (const std::int32_t next : graph_.successors(block)) {
          if (next != graph_.exit()) changed |= live_in_[block].add_live(live_in_[next], killed_[block]);
        }
      }
    }
  }

  void extend(std::int32_t block)
  {
    live_in_[block].each([&](std::uint32_t reg) { intervals_[reg].include(graph_.begin(block)); });
    for (const std::int32_t next : graph_.successors(block)) {
      if (next == graph_.exit()) continue;
      live_in_[next].each([&](std::uint32_t reg) { intervals_[reg].include(graph_.end(block) - 1); });
    }
  }

  const Program& program_;
  FlowGraph graph_;
  std::vector<Interval> intervals_;
  std::vector<RegisterSet> live_in_;
  std::vector<RegisterSet> killed_;
};

}  // namespace

void allocate_registers(const Program& program, const std::vector<ptx::Register>& registers,
                        std::vector<std::uint32_t>& slots, std::uint32_t& bytes)
{
  const Liveness liveness(program, registers.size());
  const std::vector<Interval>& intervals = liveness.intervals();
  std::vector<std::uint32_t> order;
  for (std::uint32_t reg = 0; reg < registers.size(); ++reg) {
    if (registers[reg].type != ptx::Type::pred && intervals[reg].first >= 0) order.push_back(reg);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(intervals[a].first, a) < std::pair(intervals[b].first, b);
  });
  std::map<std::uint32_t, std::vector<std::uint32_t>> free_slots;  // by width
  std::multimap<std::int32_t, std::uint32_t> active;               // last instruction, register
  for (const std::uint32_t reg : order) {
    while (!active.empty() && active.begin()->first < intervals[reg].first) {
      const std::uint32_t ended = active.begin()->second;
      free_slots[register_bytes(registers[ended].type)].push_back(slots[ended]);
      active.erase(active.begin());
    }
    const std::uint32_t width = register_bytes(registers[reg].type);
    std::vector<std::uint32_t>& free_ones = free_slots[width];
    if (free_ones.empty()) {
      slots[reg] = bytes;
      bytes += width * isa::kLanes;
    } else {
      slots[reg] = free_ones.back();
      free_ones.pop_back();
    }
    active.emplace(intervals[reg].last, reg);
  }
}

}  // namespace flashgate::gpu::decode
