#include "gpu/emulator/memory/vector_clock.h"

#include <algorithm>
#include <map>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace flashgate::gpu {
namespace {

using Entries = std::vector<CrossClock::Entry>;

Entries drawn_entries()
{
  std::map<std::uint32_t, std::uint32_t> drawn;
  const int count = *rc::gen::inRange(0, 12);
  for (int i = 0; i < count; ++i)
    drawn[*rc::gen::inRange(0U, 20U)] = *rc::gen::inRange(1U, 100U);
  Entries entries;
  for (const auto& [agent, clock] : drawn)
    entries.push_back({agent, clock});
  return entries;
}

std::uint32_t clock_in(const Entries& entries, std::uint32_t agent)
{
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.agent == agent; });
  return at == entries.end() ? 0 : at->clock;
}

}  // namespace

TEST_CASE("joining two knowledges keeps the later clock of every agent")
{
  const bool passed = rc::check("join", [] {
    const Entries a = drawn_entries();
    const Entries b = drawn_entries();
    const auto joined = CrossClock::join(CrossClock::with(nullptr, a), CrossClock::with(nullptr, b));
    for (std::uint32_t agent = 0; agent < 21; ++agent) {
      RC_ASSERT(joined->clock_of(agent) == std::max(clock_in(a, agent), clock_in(b, agent)));
    }
  });
  CHECK(passed);
}

TEST_CASE("a join that adds nothing gives back what was there")
{
  const auto more = CrossClock::with(nullptr, {{1, 5}, {2, 6}});
  const auto less = CrossClock::with(nullptr, {{2, 4}});
  CHECK(CrossClock::join(more, less) == more);
  CHECK(CrossClock::join(less, more) == more);
  CHECK(CrossClock::join(nullptr, more) == more);
  CHECK(CrossClock::join(more, nullptr) == more);
}

TEST_CASE("knowledge stays bounded; what is dropped counts as known")
{
  CrossClock::Pointer known;
  for (std::uint32_t block = 0; block < 100; ++block) {
    Entries agents;
    for (std::uint32_t i = 0; i < 1000; ++i)
      agents.push_back({block * 1000 + i, 3});
    known = CrossClock::with(known, agents);
    CHECK(known->size() <= CrossClock::kLimit);
  }
  CHECK(known->clock_of(5) == kLastClock);
  CHECK(known->clock_of(99'999) == 3);
  CHECK(known->clock_of(100'000) == 0);
}

TEST_CASE("clocks stop at the last one")
{
  WarpClock clock;
  clock.start(0, 1, 0, kLastClock - 1);
  for (int i = 0; i < 3; ++i)
    clock.tick();
  CHECK(clock.now == kLastClock);
}

}  // namespace flashgate::gpu
