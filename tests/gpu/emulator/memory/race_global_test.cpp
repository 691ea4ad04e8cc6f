#include <doctest/doctest.h>

#include "tests/gpu/emulator/memory/memory_fixture.h"

namespace flashgate::gpu {
namespace {

constexpr isa::LaneMask kLane0 = 1;

/// Two blocks of two warps, a buffer and a flag, all written by the host.
struct GlobalFixture : MemoryFixture
{
  GlobalFixture() : MemoryFixture({.checks = parse_checks("race"), .warps = 2})
  {
    add_block();
    data = global.allocate(4096, "data");
    flag = global.allocate(64, "flag");
    global.fill(data, std::byte{0}, 4096);
    global.fill(flag, std::byte{0}, 64);
  }

  std::int32_t store(MemoryWarp& w, std::uint64_t offset = 0, std::uint8_t bytes = 4,
                     isa::LaneMask mask = isa::kAllLanes)
  {
    for (std::uint32_t lane = 0; lane < isa::kLanes; ++lane)
      lanes<std::uint64_t>(w, 0)[lane] = next_++ | 1ULL << 60;
    return access(w, store_form(StateSpace::global, bytes), strided(data + offset, bytes), mask);
  }
  std::int32_t load(MemoryWarp& w, std::uint64_t offset = 0, std::uint8_t bytes = 4,
                    isa::LaneMask mask = isa::kAllLanes)
  {
    return access(w, load_form(StateSpace::global, bytes), strided(data + offset, bytes), mask);
  }
  void fence(MemoryWarp& w, Scope scope = Scope::gpu) { access(w, fence_form(scope), strided(0, 0), kLane0); }
  void flag_store(MemoryWarp& w, Semantics semantics, Scope scope = Scope::gpu)
  {
    access(w, with_semantics(store_form(StateSpace::global, 4), semantics, scope), strided(flag, 0), kLane0);
  }
  void flag_load(MemoryWarp& w, Semantics semantics)
  {
    access(w, with_semantics(load_form(StateSpace::global, 4), semantics), strided(flag, 0), kLane0);
  }
  void flag_add(MemoryWarp& w, Semantics semantics = Semantics::relaxed)
  {
    access(w, with_semantics(add_form(StateSpace::global), semantics), strided(flag, 0), kLane0);
  }
  std::size_t races() const { return count(Check::race_global); }

  std::uint64_t data = 0;
  std::uint64_t flag = 0;

 private:
  std::uint64_t next_ = 1;
};

}  // namespace

TEST_CASE("blocks that use the same bytes race, in every order of reads and writes but two reads")
{
  for (const std::uint8_t bytes : std::initializer_list<std::uint8_t>{1, 2, 4, 8}) {
    for (const bool first_writes : {false, true}) {
      for (const bool second_writes : {false, true}) {
        GlobalFixture f;
        const std::int32_t first = first_writes ? f.store(f.warp(0, 0), 0, bytes) : f.load(f.warp(0, 0), 0, bytes);
        const std::int32_t second = second_writes ? f.store(f.warp(1, 1), 0, bytes) : f.load(f.warp(1, 1), 0, bytes);
        if (!first_writes && !second_writes) {
          CHECK(f.races() == 0);
          continue;
        }
        const Finding& found = f.only(Check::race_global);
        CHECK(found.instruction == second);
        CHECK(found.other == first);
        CHECK(found.block.x == 1);
        CHECK(found.detail.find("by block 0 warp 0 lane 0") != std::string::npos);
        CHECK(found.detail.find(second_writes ? "write of data+0" : "read of data+0") == 0);
      }
    }
  }
}

TEST_CASE("blocks that use different bytes of a word do not race")
{
  GlobalFixture f;
  f.store(f.warp(0, 0), 0, 2, kLane0);
  f.store(f.warp(0, 1), 2, 2, kLane0);
  f.load(f.warp(0, 0), 0, 2, kLane0);
  f.load(f.warp(0, 1), 2, 2, kLane0);
  f.store(f.warp(0, 0), 8, 1, kLane0);
  f.store(f.warp(0, 1), 9, 1, kLane0);
  CHECK(f.races() == 0);
  f.load(f.warp(0, 1), 0, 4, kLane0);
  CHECK(f.races() == 1);
}

TEST_CASE("warps of a block are ordered by its barrier, those of another block are not")
{
  for (const bool barrier : {false, true}) {
    GlobalFixture f;
    f.store(f.warp(0, 0));
    if (barrier) f.barrier(0);
    f.load(f.warp(1, 0));
    CHECK(f.races() == (barrier ? 0 : 1));
  }
  GlobalFixture f;
  f.store(f.warp(0, 0));
  f.barrier(0);
  f.barrier(1);
  f.load(f.warp(0, 1));
  CHECK(f.races() == 1);
}

TEST_CASE("lanes of a warp are unordered until they meet, a lane's own accesses are in order")
{
  GlobalFixture f;
  f.store(f.warp(0, 0));
  f.load(f.warp(0, 0));
  CHECK(f.races() == 0);
  auto next = strided(f.data + 4, 4);
  next[31] = f.data;
  f.access(f.warp(0, 0), load_form(StateSpace::global, 4), next);
  CHECK(f.races() == 1);
  lanes_meet(f.warp(0, 0), isa::kAllLanes);
  f.access(f.warp(0, 0), load_form(StateSpace::global, 4), next);
  CHECK(f.races() == 1);
}

TEST_CASE("a flag orders two blocks by every pattern of release and acquire, and by no less")
{
  using Writer = void (*)(GlobalFixture&, MemoryWarp&);
  const std::pair<const char*, Writer> releases[] = {
      {"fence, relaxed store",
       [](GlobalFixture& f, MemoryWarp& w) { f.fence(w), f.flag_store(w, Semantics::relaxed); }},
      {"st.release", [](GlobalFixture& f, MemoryWarp& w) { f.flag_store(w, Semantics::release); }},
      {"fence, atomic", [](GlobalFixture& f, MemoryWarp& w) { f.fence(w), f.flag_add(w); }},
      {"atom.acq_rel", [](GlobalFixture& f, MemoryWarp& w) { f.flag_add(w, Semantics::acq_rel); }},
  };
  const std::pair<const char*, Writer> acquires[] = {
      {"relaxed load, fence", [](GlobalFixture& f, MemoryWarp& w) { f.flag_load(w, Semantics::relaxed), f.fence(w); }},
      {"ld.acquire", [](GlobalFixture& f, MemoryWarp& w) { f.flag_load(w, Semantics::acquire); }},
      {"atomic, fence", [](GlobalFixture& f, MemoryWarp& w) { f.flag_add(w), f.fence(w); }},
      {"atom.acquire", [](GlobalFixture& f, MemoryWarp& w) { f.flag_add(w, Semantics::acquire); }},
      {"relaxed load, barrier",
       [](GlobalFixture& f, MemoryWarp& w) { f.flag_load(w, Semantics::relaxed), f.barrier(1); }},
  };
  const std::pair<const char*, Writer> too_little[] = {
      {"relaxed store", [](GlobalFixture& f, MemoryWarp& w) { f.flag_store(w, Semantics::relaxed); }},
      {"atomic", [](GlobalFixture& f, MemoryWarp& w) { f.flag_add(w); }},
      {"fence of the block only",
       [](GlobalFixture& f, MemoryWarp& w) { f.fence(w, Scope::cta), f.flag_store(w, Semantics::relaxed); }},
  };
  const auto races = [](const Writer& release, const Writer& acquire) {
    GlobalFixture f;
    f.store(f.warp(0, 0));
    release(f, f.warp(0, 0));
    acquire(f, f.warp(0, 1));
    f.load(f.warp(0, 1));
    return f.races();
  };
  for (const auto& release : releases) {
    CAPTURE(release.first);
    for (const auto& acquire : acquires) {
      CAPTURE(acquire.first);
      CHECK(races(release.second, acquire.second) == 0);
    }
    CHECK(races(release.second, [](GlobalFixture& f, MemoryWarp& w) { f.flag_load(w, Semantics::relaxed); }) == 1);
    CHECK(races(release.second, [](GlobalFixture&, MemoryWarp&) {}) == 1);
  }
  for (const auto& release : too_little) {
    CAPTURE(release.first);
    CHECK(races(release.second, acquires[0].second) == 1);
  }
}

TEST_CASE("what is stored after the release is not published")
{
  GlobalFixture f;
  f.fence(f.warp(0, 0));
  f.store(f.warp(0, 0));
  f.flag_store(f.warp(0, 0), Semantics::relaxed);
  f.flag_load(f.warp(0, 1), Semantics::acquire);
  f.load(f.warp(0, 1));
  CHECK(f.races() == 1);
}

TEST_CASE("a release passes on what a barrier told, and an acquire is passed on by one")
{
  GlobalFixture f;
  f.store(f.warp(1, 0));
  f.barrier(0);
  f.fence(f.warp(0, 0));
  f.flag_add(f.warp(0, 0));
  f.flag_load(f.warp(0, 1), Semantics::relaxed);
  f.fence(f.warp(0, 1));
  f.barrier(1);
  f.load(f.warp(1, 1));
  CHECK(f.races() == 0);
}

TEST_CASE("a chain of blocks through one semaphore is in order")
{
  GlobalFixture f;
  for (int i = 0; i < 30; ++i) {
    const std::size_t block = i < 1 ? 0 : f.add_block();
    f.flag_load(f.warp(0, block), Semantics::acquire);
    f.barrier(block);
    f.store(f.warp(1, block));
    f.barrier(block);
    f.flag_store(f.warp(0, block), Semantics::release);
  }
  CHECK(f.races() == 0);
  f.load(f.warp(0, 1));
  CHECK(f.races() == 1);
}

TEST_CASE("atomics of sufficient scope do not race with each other, plain accesses do")
{
  GlobalFixture f;
  for (const std::size_t block : {0U, 1U})
    f.access(f.warp(0, block), add_form(StateSpace::global), strided(f.data, 4));
  CHECK(f.races() == 0);
  f.load(f.warp(1, 0));
  CHECK(f.races() == 1);

  GlobalFixture narrow;
  const MemoryForm block_add = add_form(StateSpace::global, Scope::cta);
  narrow.access(narrow.warp(0, 0), block_add, strided(narrow.data, 4));
  narrow.access(narrow.warp(1, 0), block_add, strided(narrow.data, 4));
  CHECK(narrow.races() == 0);
  narrow.access(narrow.warp(0, 1), block_add, strided(narrow.data, 4));
  CHECK(narrow.races() == 1);
}

TEST_CASE("a write meets a reader of another block, whoever read last")
{
  GlobalFixture f;
  f.load(f.warp(0, 0));
  f.load(f.warp(0, 1));
  f.load(f.warp(1, 1));
  lanes_meet(f.warp(0, 1), isa::kAllLanes);
  f.store(f.warp(0, 1));
  CHECK(f.races() == 1);
}

TEST_CASE("stores of the value that is there are counted, not reported")
{
  GlobalFixture f;
  for (const std::size_t block : {0U, 1U}) {
    std::fill_n(f.lanes<std::uint32_t>(f.warp(0, block), 0), isa::kLanes, 1U);
    f.access(f.warp(0, block), store_form(StateSpace::global, 4), strided(f.data, 0));
  }
  CHECK(f.races() == 0);
  CHECK(f.context.benign_stores == 63);
}

TEST_CASE("launches are in order, blocks that ended stay comparable")
{
  GlobalFixture f;
  f.store(f.warp(0, 0));
  f.end_block(0);
  const std::size_t late = f.add_block();
  f.load(f.warp(0, late));
  CHECK(f.races() == 1);
  kernel_ends(f.context);
  kernel_starts(f.context);
  f.load(f.warp(1, late));
  CHECK(f.races() == 1);
}

TEST_CASE("blocks are told apart to the last of a hundred thousand")
{
  GlobalFixture f;
  std::vector<MemoryWarp*> warps{&f.warp(0, 1), &f.warp(1, 1)};
  f.store(f.warp(1, 1), 0, 4, kLane0);
  for (std::uint32_t number = 2; number < 100'000; ++number) {
    f.end_block(1);
    block_starts(f.context, f.block(1), Dim3{number, 0, 0}, number, warps);
  }
  f.store(f.warp(1, 1), 4, 4, kLane0);
  CHECK(f.races() == 0);
  f.load(f.warp(1, 1), 0, 4, kLane0);
  CHECK(f.only(Check::race_global).detail == "read of data+0 after an unordered write by block 1 warp 1 lane 0");
  f.load(f.warp(0, 0), 4, 4, kLane0);
  CHECK(f.findings.findings().back().detail == "read of data+4 after an unordered write by block 99999 warp 1 lane 0");
}

TEST_CASE("without the check nothing is reported")
{
  MemoryFixture f({.checks = parse_checks("async"), .warps = 1});
  f.add_block();
  const std::uint64_t data = f.global.allocate(128, "data");
  f.lanes<std::uint32_t>(f.warp(0, 0), 0)[3] = 1;
  for (const std::size_t block : {0U, 1U})
    f.access(f.warp(0, block), store_form(StateSpace::global, 4), strided(data, 4));
  CHECK(f.findings.findings().empty());
}

}  // namespace flashgate::gpu
