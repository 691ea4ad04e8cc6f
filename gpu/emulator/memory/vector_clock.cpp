#include "gpu/emulator/memory/vector_clock.h"

#include <algorithm>
#include <iterator>

#include "gpu/emulator/memory/shared_race.h"

namespace flashgate::gpu {
namespace {

bool by_agent(const CrossClock::Entry& a, const CrossClock::Entry& b) { return a.agent < b.agent; }

/// Both sorted lists in one, the later clock where both have an agent.
std::vector<CrossClock::Entry> merged(const std::vector<CrossClock::Entry>& a, const std::vector<CrossClock::Entry>& b)
{
  std::vector<CrossClock::Entry> result;
  result.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result), by_agent);
  std::size_t kept = 0;
  for (const CrossClock::Entry& entry : result) {
    if (kept != 0 && result[kept - 1].agent == entry.agent) {
      result[kept - 1].clock = std::max(result[kept - 1].clock, entry.clock);
    } else {
      result[kept++] = entry;
    }
  }
  result.resize(kept);
  return result;
}

}  // namespace

std::uint32_t CrossClock::clock_of(std::uint32_t agent) const
{
  if (agent < floor_) return kLastClock;
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), Entry{agent, 0}, by_agent);
  return at != entries_.end() && at->agent == agent ? at->clock : 0;
}

CrossClock::Pointer CrossClock::join(const Pointer& a, const Pointer& b)
{
  if (b == nullptr || a == b) return a;
  if (a == nullptr) return b;
  auto result = std::make_shared<CrossClock>();
  result->floor_ = std::max(a->floor_, b->floor_);
  result->entries_ = merged(a->entries_, b->entries_);
  result->shrink();
  const auto same = [&](const Pointer& p) { return p->floor_ == result->floor_ && p->entries_ == result->entries_; };
  return same(a) ? a : same(b) ? b : Pointer(std::move(result));
}

CrossClock::Pointer CrossClock::with(const Pointer& known, std::vector<Entry> agents)
{
  auto result = std::make_shared<CrossClock>();
  if (known != nullptr) {
    result->floor_ = known->floor_;
    result->entries_ = merged(known->entries_, agents);
  } else {
    result->entries_ = std::move(agents);
  }
  result->shrink();
  return result;
}

void CrossClock::shrink()
{
  if (entries_.size() > kLimit) floor_ = std::max(floor_, entries_[entries_.size() / 2].agent);
  const auto first = std::lower_bound(entries_.begin(), entries_.end(), Entry{floor_, 0}, by_agent);
  entries_.erase(entries_.begin(), first);
}

void Knowledge::join(const Knowledge& other)
{
  for (std::uint32_t w = 0; w < kMaxWarps; ++w)
    seen[w] = std::max(seen[w], other.seen[w]);
  cross = CrossClock::join(cross, other.cross);
}

void WarpClock::start(std::uint32_t warp_id, std::uint32_t warp_count, std::uint32_t block, std::uint32_t clock)
{
  *this = WarpClock{};
  warp = warp_id;
  warps = warp_count;
  first_agent = block * warp_count;
  now = clock;
  known.seen.fill(clock - 1);
  lane_met.fill(clock - 1);
  limits_changed();
}

void WarpClock::tick()
{
  if (now < kLastClock) ++now;
}

void WarpClock::learn(const Knowledge& other)
{
  known.join(other);
  limits_changed();
}

void WarpClock::learn(const CrossClock::Pointer& other)
{
  if (other == nullptr || other == known.cross) return;
  known.cross = CrossClock::join(known.cross, other);
  // The own warp's past included: what one lane released another has acquired, as with a lock that lanes hand on.
  for (std::uint32_t w = 0; w < warps; ++w)
    known.seen[w] = std::max(known.seen[w], other->clock_of(first_agent + w));
  limits_changed();
}

void WarpClock::learn_heard()
{
  if (heard == nullptr) return;
  learn(heard);
  heard = nullptr;
}

void WarpClock::lanes_meet(isa::LaneMask lanes, isa::LaneMask live)
{
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1)
    lane_met[__builtin_ctz(rest)] = now;
  if ((live & ~lanes) == 0) known.seen[warp] = now;
  tick();
}

Knowledge WarpClock::passed_on(std::uint32_t own) const
{
  Knowledge result = known;
  result.seen[warp] = own;
  return result;
}

CrossClock::Pointer WarpClock::passed_on_across(std::uint32_t own) const
{
  std::vector<CrossClock::Entry> agents;
  agents.reserve(warps);
  for (std::uint32_t w = 0; w < warps; ++w)
    agents.push_back({first_agent + w, w == warp ? own : known.seen[w]});
  return CrossClock::with(known.cross, std::move(agents));
}

void WarpClock::limits_changed()
{
  for (std::uint32_t w = 0; w < warps; ++w) {
    const std::uint32_t limit = w == warp ? ReadStamp::kAny : ReadStamp::limit(known.seen[w]);
    for (std::uint32_t k = 0; k < 4; ++k)
      read_limits[4 * w + k] = limit;
  }
}

}  // namespace flashgate::gpu
