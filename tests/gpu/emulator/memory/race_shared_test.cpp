#include <algorithm>

#include <doctest/doctest.h>

#include "tests/gpu/emulator/memory/memory_fixture.h"

namespace flashgate::gpu {
namespace {

constexpr isa::LaneMask kLane0 = 1;

CheckSet only_races() { return parse_checks("race,async"); }

MemoryFixture::Options race_options(std::uint32_t warps = 4)
{
  return {.checks = only_races(), .warps = warps, .shared_bytes = 4096};
}

/// Stores a value that differs by warp and call, so that no store is silent.
std::int32_t store(MemoryFixture& f, std::size_t warp, std::uint64_t first, std::uint8_t bytes, std::uint8_t count = 1,
                   isa::LaneMask mask = isa::kAllLanes, std::size_t block = 0)
{
  static std::uint32_t next = 1;
  MemoryWarp& w = f.warp(warp, block);
  for (std::uint32_t k = 0; k < count; ++k) {
    for (std::uint32_t lane = 0; lane < isa::kLanes; ++lane) {
      const std::uint64_t value = (next * 0x0101'0101ULL + lane) | 1ULL << 63;
      std::memcpy(f.lanes<std::byte>(w, k) + std::max<std::size_t>(bytes, 2) * lane, &value,
                  std::max<std::size_t>(bytes, 2));
    }
  }
  next = next % 200 + 1;
  return f.access(w, store_form(StateSpace::shared, bytes, count), strided(first, std::uint64_t{bytes} * count), mask);
}

std::int32_t load(MemoryFixture& f, std::size_t warp, std::uint64_t first, std::uint8_t bytes, std::uint8_t count = 1,
                  isa::LaneMask mask = isa::kAllLanes)
{
  return f.access(f.warp(warp), load_form(StateSpace::shared, bytes, count),
                  strided(first, std::uint64_t{bytes} * count), mask);
}

struct Width
{
  std::uint8_t bytes;
  std::uint8_t count;
};
/// Words, pairs and rows take the quick ways; the others the general one.
constexpr Width kWidths[] = {{1, 1}, {2, 1}, {4, 1}, {4, 2}, {8, 1}, {4, 4}, {8, 2}, {2, 2}, {4, 8}};

}  // namespace

TEST_CASE("a read of another warp's write is a race unless a barrier lies between")
{
  for (const Width& w : kWidths) {
    for (const bool barrier : {false, true}) {
      MemoryFixture f(race_options());
      const std::int32_t write = store(f, 1, 0, w.bytes, w.count);
      if (barrier) f.barrier();
      const std::int32_t read = load(f, 2, 0, w.bytes, w.count);
      CHECK(f.findings.findings().empty() == barrier);
      if (barrier) continue;
      const Finding& found = f.only(Check::race_shared);
      CHECK(found.instruction == read);
      CHECK(found.other == write);
      CHECK(found.warp == 2);
      CHECK(found.count == isa::kLanes);
      CHECK(found.detail == "read of smem+0 after an unordered write by warp 1 lane 0");
    }
  }
}

TEST_CASE("a write over another warp's write or read is a race unless a barrier lies between")
{
  for (const Width& w : kWidths) {
    for (const bool barrier : {false, true}) {
      for (const bool first_reads : {false, true}) {
        MemoryFixture f(race_options());
        const std::int32_t first = first_reads ? load(f, 3, 0, w.bytes, w.count) : store(f, 3, 0, w.bytes, w.count);
        if (barrier) f.barrier();
        store(f, 0, 0, w.bytes, w.count);
        CHECK(f.findings.findings().empty() == barrier);
        if (!barrier) CHECK(f.only(Check::race_shared).other == first);
      }
    }
  }
}

TEST_CASE("a write meets the reads of every warp, not only of the last one")
{
  MemoryFixture f(race_options());
  load(f, 1, 0, 4, 4);
  load(f, 2, 0, 4, 4);
  load(f, 3, 0, 4, 4);
  lanes_meet(f.warp(3), isa::kAllLanes);
  store(f, 3, 0, 4, 4);
  CHECK(f.only(Check::race_shared).detail == "write of smem+0 after an unordered read by warp 1");
}

TEST_CASE("warps that use different bytes of a word do not race, those that share a byte do")
{
  for (const bool shared : {false, true}) {
    MemoryFixture f(race_options());
    store(f, 0, 0, 2, 1, kLane0);
    store(f, 1, 2, 2, 1, kLane0);
    load(f, 0, 0, 2, 1, kLane0);
    load(f, 1, 2, 2, 1, kLane0);
    store(f, 2, 4, 1, 1, kLane0);
    store(f, 3, 5, 1, 1, kLane0);
    CHECK(f.findings.findings().empty());
    if (!shared) continue;
    load(f, 1, 0, 4, 1, kLane0);
    CHECK(f.only(Check::race_shared).detail == "read of smem+0 after an unordered write by warp 0 lane 0");
  }
}

TEST_CASE("lanes of a warp are unordered until they meet")
{
  for (const bool meet : {false, true}) {
    MemoryFixture f(race_options());
    store(f, 0, 0, 4);
    if (meet) lanes_meet(f.warp(0), isa::kAllLanes);
    auto neighbours = strided(4, 4);
    neighbours[31] = 0;
    f.access(f.warp(0), load_form(StateSpace::shared, 4), neighbours);
    CHECK(f.findings.findings().empty() == meet);
    if (meet) continue;
    CHECK(f.only(Check::race_shared).detail ==
          "read of smem+4 after a write by lane 1 of the same warp, with nothing that orders the two");
  }
}

TEST_CASE("a lane's own accesses are in order, and half a warp may meet alone")
{
  MemoryFixture f(race_options());
  store(f, 0, 0, 4);
  load(f, 0, 0, 4);
  store(f, 0, 0, 4);
  lanes_meet(f.warp(0), 0xFFFFU);
  auto mirrored = strided(0, 4);
  std::reverse(mirrored.begin(), mirrored.begin() + 16);
  f.access(f.warp(0), load_form(StateSpace::shared, 4), mirrored, 0xFFFFU);
  CHECK(f.findings.findings().empty());
  std::reverse(mirrored.begin() + 16, mirrored.end());
  f.access(f.warp(0), load_form(StateSpace::shared, 4), mirrored, 0xFFFF'0000U);
  CHECK(f.count(Check::race_shared) == 1);
}

TEST_CASE("unordered stores of the value that is there are counted, not reported")
{
  MemoryFixture f(race_options());
  const MemoryForm form = store_form(StateSpace::shared, 4);
  for (const std::size_t w : {0U, 1U}) {
    std::fill_n(f.lanes<std::uint32_t>(f.warp(w), 0), isa::kLanes, 7U);
    f.access(f.warp(w), form, strided(64, 0));
  }
  CHECK(f.findings.findings().empty());
  CHECK(f.context.benign_stores == 63);
  f.lanes<std::uint32_t>(f.warp(1), 0)[9] = 8;
  f.access(f.warp(1), form, strided(64, 0));
  CHECK(f.count(Check::race_shared) == 1);
}

TEST_CASE("atomics race with plain accesses, not with each other")
{
  const MemoryForm add = add_form(StateSpace::shared, Scope::cta);
  SUBCASE("each other")
  {
    MemoryFixture f(race_options());
    for (const std::size_t w : {0U, 1U, 2U})
      f.access(f.warp(w), add, strided(0, 0));
    f.barrier();
    load(f, 3, 0, 4);
    CHECK(f.findings.findings().empty());
  }
  SUBCASE("a plain read, before the barrier")
  {
    MemoryFixture f(race_options());
    f.access(f.warp(0), add, strided(0, 0));
    load(f, 1, 0, 4);
    CHECK(f.count(Check::race_shared) == 1);
  }
  SUBCASE("a plain read, after which the atomic comes")
  {
    MemoryFixture f(race_options());
    load(f, 1, 0, 4);
    f.access(f.warp(0), add, strided(0, 0));
    CHECK(f.count(Check::race_shared) == 1);
  }
  SUBCASE("a plain write that clears the counter")
  {
    MemoryFixture f(race_options());
    store(f, 1, 0, 4, 1, kLane0);
    f.access(f.warp(0), add, strided(0, 0));
    CHECK(f.count(Check::race_shared) == 1);
  }
  SUBCASE("volatile polling")
  {
    MemoryFixture f(race_options());
    f.access(f.warp(0), add, strided(0, 0));
    f.access(f.warp(1), with_semantics(load_form(StateSpace::shared, 4), Semantics::relaxed, Scope::sys),
             strided(0, 0));
    CHECK(f.findings.findings().empty());
  }
}

TEST_CASE("a flag in shared memory orders what it guards, if both sides fence")
{
  struct Row
  {
    bool writer_fences;
    bool reader_fences;
    std::size_t races;
  };
  for (const Row& row : {Row{true, true, 0}, Row{false, true, 1}, Row{true, false, 1}}) {
    MemoryFixture f(race_options());
    store(f, 0, 0, 4);
    const auto flag = strided(512, 0);
    if (row.writer_fences) f.access(f.warp(0), fence_form(Scope::cta), flag);
    f.access(f.warp(0), with_semantics(store_form(StateSpace::shared, 4), Semantics::relaxed), flag, kLane0);
    f.access(f.warp(1), with_semantics(load_form(StateSpace::shared, 4), Semantics::relaxed), flag, kLane0);
    if (row.reader_fences) f.access(f.warp(1), fence_form(Scope::cta), flag);
    load(f, 1, 0, 4);
    CHECK(f.count(Check::race_shared) == row.races);
  }
}

TEST_CASE("bar.arrive passes on what came before it, and nothing later")
{
  for (const bool late : {false, true}) {
    MemoryFixture f(race_options());
    if (!late) store(f, 0, 0, 4);
    barrier_arrive(f.warp(0), 3, isa::kAllLanes);
    if (late) store(f, 0, 0, 4);
    barrier_arrive(f.warp(1), 3, isa::kAllLanes);
    barrier_complete(f.block(), 3);
    barrier_resume(f.warp(1), 3, isa::kAllLanes);
    load(f, 1, 0, 4);
    CHECK(f.count(Check::race_shared) == (late ? 1 : 0));
    // The arriving warp did not wait, so it knows nothing of the other.
    store(f, 1, 256, 4);
    load(f, 0, 256, 4);
    CHECK(f.count(Check::race_shared) == (late ? 2 : 1));
  }
}

TEST_CASE("order is passed on through a third warp")
{
  MemoryFixture f(race_options());
  store(f, 0, 0, 4);
  for (const auto& [from, to, number] : {std::tuple{0U, 1U, 1U}, {1U, 2U, 2U}}) {
    barrier_arrive(f.warp(from), number, isa::kAllLanes);
    barrier_arrive(f.warp(to), number, isa::kAllLanes);
    barrier_complete(f.block(), number);
    barrier_resume(f.warp(to), number, isa::kAllLanes);
  }
  load(f, 2, 0, 4);
  CHECK(f.findings.findings().empty());
}

TEST_CASE("a new block on the same memory has nothing to do with the last one")
{
  MemoryFixture f(race_options());
  std::vector<MemoryWarp*> warps;
  for (std::size_t w = 0; w < 4; ++w)
    warps.push_back(&f.warp(w));
  for (std::uint32_t number = 1; number < 4; ++number) {
    store(f, 0, 0, 4);
    store(f, 1, 512, 2);
    f.end_block(0);
    block_starts(f.context, f.block(), Dim3{number, 0, 0}, number, warps);
    f.findings = FindingLog{};
    load(f, 2, 0, 4);
    load(f, 2, 512, 4);
    CHECK(f.findings.findings().empty());
    store(f, 3, 0, 4);
    CHECK(f.count(Check::race_shared) == 1);
  }
}

TEST_CASE("a clock that stands still misses races and invents none")
{
  MemoryFixture f(race_options(2));
  for (const std::size_t w : {0U, 1U})
    f.warp(w).memory.clock.start(static_cast<std::uint32_t>(w), 2, 0, kLastClock - 1);
  for (int i = 0; i < 4; ++i) {
    store(f, 0, 0, 4);
    f.barrier();
    load(f, 1, 0, 4);
    f.barrier();
  }
  CHECK(f.findings.findings().empty());
}

TEST_CASE("without the check nothing is reported")
{
  MemoryFixture f({.checks = CheckSet::always(), .warps = 2});
  store(f, 0, 0, 4);
  load(f, 1, 0, 4);
  CHECK(f.findings.findings().empty());
}

}  // namespace flashgate::gpu
