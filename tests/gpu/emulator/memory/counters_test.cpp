#include <doctest/doctest.h>

#include "gpu/emulator/memory/access_counters.h"
#include "tests/gpu/emulator/memory/memory_fixture.h"

namespace flashgate::gpu {

TEST_CASE("bank conflicts are the passes beyond the fewest")
{
  struct Row
  {
    std::uint64_t step;
    std::uint32_t bytes;
    std::uint32_t extra;
  };
  const Row rows[] = {
      {4, 4, 0},   {8, 4, 1}, {128, 4, 31}, {0, 4, 0},   {132, 4, 0}, {2, 2, 0},
      {64, 2, 15}, {8, 8, 0}, {16, 8, 2},   {16, 16, 0}, {32, 16, 4}, {128, 16, 28},
  };
  for (const Row& row : rows) {
    CAPTURE(row.step);
    CAPTURE(row.bytes);
    CHECK(extra_bank_passes(strided(1024, row.step), isa::kAllLanes, row.bytes) == row.extra);
  }
  CHECK(extra_bank_passes(strided(0, 128), 0x3U, 4) == 1);
}

TEST_CASE("sectors are counted once, in whatever order lanes touch them")
{
  CHECK(sectors_touched(strided(0, 4), isa::kAllLanes, 4) == 4);
  CHECK(sectors_touched(strided(30, 4), isa::kAllLanes, 4) == 5);
  CHECK(sectors_touched(strided(0, 32), isa::kAllLanes, 4) == 32);
  CHECK(sectors_touched(strided(0, 0), isa::kAllLanes, 16) == 1);
  auto shuffled = strided(0, 32);
  for (std::size_t lane = 0; lane < 32; ++lane)
    shuffled[lane] = lane % 5 * 64;
  CHECK(sectors_touched(shuffled, isa::kAllLanes, 4) == 5);
  CHECK(sectors_touched(strided(16, 64), isa::kAllLanes, 64) == 65);
}

TEST_CASE("checked accesses count bytes, sectors and conflicts, others don't")
{
  MemoryFixture f;
  const std::uint64_t q = f.global.allocate(4096, "q");
  f.global.fill(q, std::byte{0}, 4096);
  f.access(f.warp(0), load_form(StateSpace::global, 4), strided(q, 64), 0xFU);
  CHECK(f.counters.global_bytes == 16);
  CHECK(f.counters.global_sectors == 4);
  f.access(f.warp(0), store_form(StateSpace::shared, 4), strided(0, 8));
  CHECK(f.counters.shared_bytes == 128);
  CHECK(f.counters.shared_bank_conflicts == 1);
  f.checked = false;
  f.access(f.warp(0), store_form(StateSpace::shared, 4), strided(0, 8));
  CHECK(f.counters.shared_bytes == 128);
  f.checked = true;
  f.context.counters = nullptr;
  f.access(f.warp(0), store_form(StateSpace::shared, 4), strided(0, 8));
  CHECK(f.counters.shared_bytes == 128);
}

}  // namespace flashgate::gpu
