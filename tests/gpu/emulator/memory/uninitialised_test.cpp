#include <doctest/doctest.h>

#include "gpu/emulator/memory/address.h"
#include "tests/gpu/emulator/memory/memory_fixture.h"

namespace flashgate::gpu {
namespace {

struct Space
{
  StateSpace space;
  Check check;
};
constexpr Space kSpaces[] = {{StateSpace::shared, Check::uninit_shared},
                             {StateSpace::global, Check::uninit_global},
                             {StateSpace::local, Check::uninit_local}};

std::uint64_t base_of(MemoryFixture& f, StateSpace space)
{
  return space == StateSpace::global ? f.global.allocate(1024, "buffer") : 0;
}

}  // namespace

TEST_CASE("reading what nobody wrote is reported, byte by byte")
{
  for (const Space& space : kSpaces) {
    MemoryFixture f;
    const std::uint64_t base = base_of(f, space.space);
    const std::uint64_t step = space.space == StateSpace::local ? 0 : 8;
    f.access(f.warp(0), store_form(space.space, 2), strided(base, step));
    f.access(f.warp(0), load_form(space.space, 2), strided(base, step));
    CHECK(f.findings.findings().empty());
    const std::int32_t read = f.access(f.warp(0), load_form(space.space, 4), strided(base, step), 0x30U);
    const Finding& found = f.only(space.check);
    CHECK(found.instruction == read);
    CHECK(found.lanes == 0x10U);
    CHECK(found.count == 2);
    CHECK(found.detail.find("4 bytes") != std::string::npos);
    CHECK((f.lanes<std::uint32_t>(f.warp(0), 0)[4] >> 16) == 0xFFFF);
  }
}

TEST_CASE("each check of what was never written can be left out")
{
  for (const Space& space : kSpaces) {
    MemoryFixture::Options options;
    options.checks.remove(space.check);
    MemoryFixture f(options);
    const std::uint64_t base = base_of(f, space.space);
    if (space.space == StateSpace::global) f.global.begin_launch(false);
    f.access(f.warp(0), load_form(space.space, 4), strided(base, 0));
    CHECK(f.findings.findings().empty());
  }
}

TEST_CASE("a lane's local memory is its own, also when never written")
{
  MemoryFixture f;
  f.access(f.warp(0), store_form(StateSpace::local, 4), strided(0, 0), 0x1U);
  f.access(f.warp(0), load_form(StateSpace::local, 4), strided(0, 0), 0x3U);
  CHECK(f.only(Check::uninit_local).lanes == 0x2U);
  CHECK(f.findings.findings()[0].detail == "read of 4 bytes at local+0, not all of which were written");
}

TEST_CASE("atomics read what must have been written")
{
  MemoryFixture f;
  const std::uint64_t buffer = f.global.allocate(64, "counter");
  f.access(f.warp(0), add_form(StateSpace::global), strided(buffer, 0), 1);
  CHECK(f.only(Check::uninit_global).detail == "read of 4 bytes at counter+0, not all of which were written");
  MemoryFixture twin;
  const std::uint64_t zeroed = twin.global.allocate(64, "counter");
  twin.global.fill(zeroed, std::byte{0}, 64);
  twin.access(twin.warp(0), add_form(StateSpace::global), strided(zeroed, 0));
  CHECK(twin.findings.findings().empty());
}

TEST_CASE("the host's writes count, its copies carry what was never written along")
{
  MemoryFixture f;
  const std::uint64_t a = f.global.allocate(64, "a");
  const std::uint64_t b = f.global.allocate(64, "b");
  f.global.fill(a, std::byte{1}, 32);
  f.global.copy(b, a, 64);
  f.access(f.warp(0), load_form(StateSpace::global, 4), strided(b + 28, 0), 1);
  CHECK(f.findings.findings().empty());
  f.access(f.warp(0), load_form(StateSpace::global, 4), strided(b + 32, 0), 1);
  CHECK(f.count(Check::uninit_global) == 1);
  f.global.mark_written(b + 32, 32);
  f.access(f.warp(0), load_form(StateSpace::global, 4), strided(b + 32, 0), 1);
  CHECK(f.count(Check::uninit_global) == 1);
}

TEST_CASE("shared memory is never written anew for every block")
{
  MemoryFixture f({.warps = 1});
  f.access(f.warp(0), store_form(StateSpace::shared, 4), strided(0, 4));
  f.end_block(0);
  std::vector<MemoryWarp*> warps{&f.warp(0)};
  block_starts(f.context, f.block(), Dim3{1, 0, 0}, 1, warps);
  f.access(f.warp(0), load_form(StateSpace::shared, 4), strided(0, 4));
  CHECK(f.only(Check::uninit_shared).block.x == 1);
  CHECK(f.lanes<std::uint32_t>(f.warp(0), 0)[0] == 0xFFFF'FFFFU);
}

}  // namespace flashgate::gpu
