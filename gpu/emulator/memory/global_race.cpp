#include "gpu/emulator/memory/global_race.h"

#include <algorithm>

namespace flashgate::gpu {
namespace {

using Kind = GlobalConflict::Kind;
constexpr std::uint32_t kAgents = 1U << Epoch::kAgentBits;

bool same_block(const Epoch& epoch, const WarpClock& clock) { return epoch.agent() - clock.first_agent < clock.warps; }

bool ordered(const Epoch& epoch, const GlobalAgent& agent)
{
  const WarpClock& clock = *agent.clock;
  if (epoch.empty()) return true;
  if (same_block(epoch, clock)) {
    return clock.before(epoch.agent() - clock.first_agent, epoch.clock(), epoch.lane(), agent.lane);
  }
  return clock.known.cross != nullptr && epoch.clock() <= clock.known.cross->clock_of(epoch.agent());
}

/// Two strong accesses don't race if each one's scope includes the other's thread.
bool strong_enough(const Epoch& epoch, const GlobalAgent& agent)
{
  const Epoch::Strength needed = same_block(epoch, *agent.clock) ? Epoch::Strength::cta : Epoch::Strength::gpu;
  return epoch.strength() >= needed && agent.strength >= needed;
}

bool conflicts(const Epoch& epoch, const GlobalAgent& agent)
{
  return !ordered(epoch, agent) && !strong_enough(epoch, agent);
}

/// Of the reads, one by another agent than the newest should stay.
void remember_read(RaceCell& cell, const Epoch& now, const GlobalAgent& agent)
{
  const bool read_is_free = cell.read.empty() || cell.read.agent() == now.agent();
  const bool other_is_free =
      cell.other_read.empty() || cell.other_read.agent() == now.agent() || ordered(cell.other_read, agent);
  if (!read_is_free && other_is_free) {
    cell.other_read = now;
  } else if (read_is_free || ordered(cell.read, agent)) {
    cell.read = now;
  }
}

Kind check_read(RaceCell& cell, const Epoch& now, const GlobalAgent& agent, Epoch& other)
{
  other = cell.write;
  remember_read(cell, now, agent);
  return conflicts(other, agent) ? Kind::with_write : Kind::none;
}

Kind check_write(RaceCell& cell, const Epoch& now, const GlobalAgent& agent, Epoch& other)
{
  const auto meets_read = [&](const Epoch& read) { return read.agent() != now.agent() && conflicts(read, agent); };
  Kind kind = Kind::none;
  if (conflicts(cell.write, agent)) {
    kind = Kind::with_write;
    other = cell.write;
  } else if (meets_read(cell.read)) {
    kind = Kind::with_read;
    other = cell.read;
  } else if (meets_read(cell.other_read)) {
    kind = Kind::with_read;
    other = cell.other_read;
  }
  cell = RaceCell{now, {}, {}};
  return kind;
}

template <typename Check>
GlobalConflict visit(RaceCells& cells, std::size_t offset, std::size_t bytes, const GlobalAgent& agent,
                     const Check& check)
{
  GlobalConflict first;
  if (agent.number() >= kAgents) return first;
  const Epoch now(agent.number(), agent.clock->now, agent.site, agent.lane, agent.strength);
  const std::size_t end = offset + bytes;
  while (offset < end) {
    const std::size_t segment_end = (offset / RaceCells::kSegmentBytes + 1) * RaceCells::kSegmentBytes;
    const std::size_t part_end = std::min(end, segment_end);
    RaceCells::Segment& segment = cells.segment(offset, part_end - offset);
    for (; offset < part_end; offset += segment.granule) {
      RaceCell& cell = segment.cells[offset % RaceCells::kSegmentBytes / segment.granule];
      Epoch other;
      const Kind kind = check(cell, now, agent, other);
      if (kind != Kind::none && first.kind == Kind::none) first = {kind, offset, other};
    }
  }
  return first;
}

}  // namespace

GlobalConflict check_global_read(RaceCells& cells, std::size_t offset, std::size_t bytes, const GlobalAgent& agent)
{
  return visit(cells, offset, bytes, agent, check_read);
}

GlobalConflict check_global_write(RaceCells& cells, std::size_t offset, std::size_t bytes, const GlobalAgent& agent)
{
  return visit(cells, offset, bytes, agent, check_write);
}

}  // namespace flashgate::gpu
