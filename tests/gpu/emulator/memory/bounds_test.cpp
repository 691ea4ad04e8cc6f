#include <doctest/doctest.h>

#include "gpu/emulator/memory/address.h"
#include "tests/gpu/emulator/memory/memory_fixture.h"

namespace flashgate::gpu {
namespace {

std::uint32_t value(MemoryFixture& f, int lane) { return f.lanes<std::uint32_t>(f.warp(0), 0)[lane]; }

}  // namespace

TEST_CASE("a load past the end names the buffer, the lanes and the bytes, and gives poison")
{
  for (const bool checked : {false, true}) {
    MemoryFixture f({.checks = CheckSet::always()});
    f.checked = checked;
    const std::uint64_t q = f.global.allocate(120, "q");
    f.global.fill(q, std::byte{0}, 120);
    const std::int32_t read = f.access(f.warp(0), load_form(StateSpace::global, 4), strided(q, 4));
    const Finding& found = f.only(Check::out_of_bounds);
    CHECK(found.instruction == read);
    CHECK(found.lanes == 0xC000'0000U);
    CHECK(found.detail == "read of 4 bytes: 4 bytes past the end of q (120 bytes)");
    CHECK(value(f, 29) == 0);
    CHECK(value(f, 30) == 0xFFFF'FFFFU);
  }
}

TEST_CASE("a store out of bounds is dropped and the others are made")
{
  for (const bool checked : {false, true}) {
    MemoryFixture f({.checks = CheckSet::always()});
    f.checked = checked;
    const std::uint64_t q = f.global.allocate(4, "q");
    const std::uint64_t k = f.global.allocate(4, "k");
    auto addresses = strided(q, 0);
    addresses[1] = q + 2;
    addresses[2] = k;
    for (std::uint32_t lane = 0; lane < 3; ++lane)
      f.lanes<std::uint32_t>(f.warp(0), 0)[lane] = 10 + lane;
    f.access(f.warp(0), store_form(StateSpace::global, 4), addresses, 0x7U);
    CHECK(f.count(Check::out_of_bounds) == 1);
    CHECK(f.findings.findings()[0].lanes == 0x2U);
    CHECK(*reinterpret_cast<std::uint32_t*>(q) == 10);
    CHECK(*reinterpret_cast<std::uint32_t*>(k) == 12);
    CHECK(f.global.damaged_red_zones().empty());
  }
}

TEST_CASE("lanes may read different allocations in one instruction")
{
  MemoryFixture f;
  const std::uint64_t q = f.global.allocate(64, "q");
  const std::uint64_t k = f.global.allocate(64, "k");
  f.global.fill(q, std::byte{1}, 64);
  f.global.fill(k, std::byte{2}, 64);
  auto addresses = strided(q, 0);
  for (std::size_t lane = 16; lane < 32; ++lane)
    addresses[lane] = k;
  f.access(f.warp(0), load_form(StateSpace::global, 4), addresses);
  CHECK(value(f, 0) == 0x0101'0101U);
  CHECK(value(f, 31) == 0x0202'0202U);
  CHECK(f.findings.findings().empty());
}

TEST_CASE("addresses of every space that lead nowhere are explained")
{
  struct Row
  {
    StateSpace space;
    std::uint64_t address;
    const char* detail;
  };
  MemoryFixture f({.checks = CheckSet::always()});
  const std::vector<std::byte> parameters(24);
  f.context.parameters = parameters;
  const std::uint64_t freed = f.global.allocate(64, "old");
  f.global.free(freed);
  const Row rows[] = {
      {StateSpace::shared, 4094,
       "read of 4 bytes: offset 4094, 2 bytes past the end of the 4096 bytes of shared memory"},
      {StateSpace::generic, kSharedWindow + 4096,
       "read of 4 bytes: offset 4096, 4 bytes past the end of the 4096 bytes of shared memory"},
      {StateSpace::local, 64, "read of 4 bytes: offset 64, 4 bytes past the end of the 64 bytes of local memory"},
      {StateSpace::param, 22, "read of 4 bytes: offset 22, 2 bytes past the end of the 24 bytes of the parameters"},
      {StateSpace::shared, ~0ULL - 7,
       "read of 4 bytes: address 0xfffffffffffffff8, which is not in the 4096 bytes of shared memory"},
      {StateSpace::global, freed + 8, "read of 4 bytes: 8 bytes into old (64 bytes), which was freed"},
  };
  for (const Row& row : rows) {
    f.findings = FindingLog{};
    f.access(f.warp(0), load_form(row.space, 4), strided(row.address, 0));
    CHECK(f.only(Check::out_of_bounds).detail == row.detail);
    CHECK(value(f, 7) == 0xFFFF'FFFFU);
  }
  f.findings = FindingLog{};
  f.access(f.warp(0), load_form(StateSpace::generic, 4), strided(0, 0));
  CHECK(f.only(Check::out_of_bounds).detail.find("address 0x0, ") != std::string::npos);
}

TEST_CASE("wild addresses of any kind are answered")
{
  MemoryFixture f;
  f.global.allocate(64, "q");
  constexpr std::uint64_t kOne = 1;
  constexpr std::uint64_t kWild[] = {1,
                                     kOne << 31,
                                     kOne << 32,
                                     kOne << 63,
                                     (kOne << 63) + 12,
                                     ~0ULL - 7,
                                     kSharedWindow - 1,
                                     kLocalWindow + (kOne << 50),
                                     kOne << 58};
  for (const std::uint64_t wild : kWild) {
    for (const StateSpace space : {StateSpace::generic, StateSpace::global, StateSpace::shared, StateSpace::local}) {
      f.access(f.warp(0), load_form(space, 8, 2), strided(wild, 16));
      f.access(f.warp(0), store_form(space, 4, 4), strided(wild, 16), 0xFFFU);
    }
  }
  // Offset 1 of shared memory is not wild.
  CHECK(f.count(Check::out_of_bounds) == 2 * 4 * std::size(kWild) - 2);
}

TEST_CASE("constant memory can't be stored to, and nobody's parameters can")
{
  MemoryFixture f;
  const std::vector<std::byte> parameters(24);
  f.context.parameters = parameters;
  const std::uint64_t table = f.global.allocate(64, "table", 256, true);
  f.access(f.warp(0), store_form(StateSpace::generic, 4), strided(table, 0));
  CHECK(f.only(Check::out_of_bounds).detail == "write of 4 bytes: table, which is constant");
  f.access(f.warp(0), store_form(StateSpace::generic, 4), strided(kParamWindow, 0));
  CHECK(f.findings.findings().back().detail == "write of 4 bytes: the parameters, which are constant");
}

TEST_CASE("matrices, copies and atomics are kept in bounds as well")
{
  for (const bool checked : {false, true}) {
    MemoryFixture f({.checks = CheckSet::always()});
    f.checked = checked;
    const std::uint64_t q = f.global.allocate(64, "q");
    f.global.fill(q, std::byte{0}, 64);
    f.access(f.warp(0), operation_form(MemoryOperation::load_matrix, 2, 4), strided(4096 - 16 * 31, 16));
    CHECK(f.only(Check::out_of_bounds).lanes == 0x8000'0000U);
    f.access(f.warp(0), operation_form(MemoryOperation::store_matrix, 2, 1), strided(4096 - 16 * 7, 16));
    CHECK(f.findings.findings().back().lanes == 0x80U);
    f.access(f.warp(0), add_form(StateSpace::global), strided(q, 4));
    CHECK(f.findings.findings().back().lanes == 0xFFFF'0000U);
    isa::Instruction copy = f.make(operation_form(MemoryOperation::copy_async, 16));
    copy.slot[1] = copy.slot[2] = isa::kNoSlot;
    const auto from = strided(q, 16);
    const auto to = strided(0, 16);
    std::copy(from.begin(), from.end(), f.lanes<std::uint64_t>(f.warp(0), 0));
    std::copy(to.begin(), to.end(), f.lanes<std::uint64_t>(f.warp(0), MemoryFixture::kAddress));
    f.run(f.warp(0), copy);
    CHECK(f.findings.findings().back().lanes == 0xFFFF'FFF0U);
    f.run(f.warp(0), f.make(operation_form(MemoryOperation::copy_wait_all)));
    CHECK(f.block().shared[64] == kPoison);
    CHECK(f.global.damaged_red_zones().empty());
  }
}

TEST_CASE("misaligned accesses are reported if that check is on, and answered")
{
  for (const bool on : {false, true}) {
    MemoryFixture f({.checks = on ? CheckSet::all() : CheckSet::always()});
    const std::uint64_t q = f.global.allocate(1024, "q");
    f.global.fill(q, std::byte{3}, 1024);
    f.access(f.warp(0), load_form(StateSpace::global, 4, 4), strided(q, 8));
    CHECK(f.count(Check::misaligned) == (on ? 1 : 0));
    if (on) CHECK(f.findings.findings()[0].lanes == 0xAAAA'AAAAU);
    CHECK(value(f, 1) == 0x0303'0303U);
    f.access(f.warp(0), load_form(StateSpace::global, 4, 2), strided(q, 8));
    CHECK(f.findings.findings().size() == (on ? 1 : 0));
  }
}

}  // namespace flashgate::gpu
