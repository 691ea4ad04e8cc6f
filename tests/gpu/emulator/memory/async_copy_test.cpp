#include <doctest/doctest.h>

#include "gpu/emulator/memory/address.h"
#include "tests/gpu/emulator/memory/memory_fixture.h"

namespace flashgate::gpu {
namespace {

/// A fixture with a global source whose byte i is i + 1.
struct CopyFixture : MemoryFixture
{
  explicit CopyFixture(AsyncPolicy policy = AsyncPolicy::at_wait) : MemoryFixture({.warps = 2, .async = policy})
  {
    std::vector<std::byte> bytes(1024);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = source_byte(i);
    source = global.allocate(bytes.size(), "source");
    global.copy_in(source, bytes);
  }

  static std::byte source_byte(std::size_t i) { return static_cast<std::byte>(i % 251 + 1); }

  /// Lane l copies `bytes` from source + bytes l to to + bytes l.
  std::int32_t copy(std::size_t w, std::uint64_t to, std::uint8_t bytes = 16, isa::LaneMask mask = isa::kAllLanes,
                    const std::uint32_t* sizes = nullptr)
  {
    isa::Instruction made = make(operation_form(MemoryOperation::copy_async, bytes));
    made.slot[1] = made.slot[2] = isa::kNoSlot;
    if (sizes != nullptr) {
      made.slot[1] = slot(1);
      std::copy(sizes, sizes + isa::kLanes, lanes<std::uint32_t>(warp(w), 1));
    }
    made.b = static_cast<std::uint32_t>(-32);
    const auto from = strided(source + 32, bytes);
    const auto target = strided(to, bytes);
    std::copy(from.begin(), from.end(), lanes<std::uint64_t>(warp(w), 0));
    std::copy(target.begin(), target.end(), lanes<std::uint64_t>(warp(w), kAddress));
    run(warp(w), made, mask);
    return made.index;
  }

  void commit(std::size_t w, isa::LaneMask mask = isa::kAllLanes)
  {
    run(warp(w), make(operation_form(MemoryOperation::copy_commit)), mask);
  }

  void wait(std::size_t w, std::uint64_t pending, isa::LaneMask mask = isa::kAllLanes)
  {
    isa::Instruction made = make(operation_form(MemoryOperation::copy_wait_group));
    made.immediate = pending;
    run(warp(w), made, mask);
  }

  bool arrived(std::size_t to, std::size_t bytes)
  {
    return holds(to, bytes, [](std::size_t i) { return source_byte(i); });
  }
  bool is_poison(std::size_t to, std::size_t bytes)
  {
    return holds(to, bytes, [](std::size_t) { return kPoison; });
  }

  template <typename Expected>
  bool holds(std::size_t to, std::size_t bytes, const Expected& expected)
  {
    for (std::size_t i = 0; i < bytes; ++i) {
      if (block().shared[to + i] != expected(i)) return false;
    }
    return true;
  }

  std::uint64_t source = 0;
};

}  // namespace

TEST_CASE("copies of 4, 8 and 16 bytes arrive at the wait, or at once")
{
  for (const bool is_checked : {false, true}) {
    for (const std::uint8_t bytes : std::initializer_list<std::uint8_t>{4, 8, 16}) {
      CopyFixture late(AsyncPolicy::at_wait);
      late.checked = is_checked;
      late.copy(0, 64, bytes);
      CHECK(late.is_poison(64, 32U * bytes));
      late.commit(0);
      late.wait(0, 0);
      CHECK(late.arrived(64, 32U * bytes));
      CHECK(late.findings.findings().empty());

      CopyFixture early(AsyncPolicy::at_issue);
      early.checked = is_checked;
      early.copy(0, 64, bytes);
      CHECK(early.arrived(64, 32U * bytes));
    }
  }
}

TEST_CASE("late copies read their source at the wait")
{
  CopyFixture f;
  f.copy(0, 0);
  f.commit(0);
  f.global.fill(f.source, std::byte{9}, 16);
  f.wait(0, 0);
  CHECK(f.block().shared[0] == std::byte{9});
}

TEST_CASE("what src-size leaves out is zero and not read")
{
  for (const AsyncPolicy policy : {AsyncPolicy::at_issue, AsyncPolicy::at_wait}) {
    CopyFixture f(policy);
    std::array<std::uint32_t, 32> sizes;
    sizes.fill(16);
    sizes[3] = 0;
    sizes[5] = 6;
    sizes[7] = 0;
    f.copy(0, 0, 16, isa::kAllLanes, sizes.data());
    f.commit(0);
    f.wait(0, 0);
    for (std::size_t i = 0; i < 512; ++i) {
      const std::size_t read = sizes[i / 16];
      CHECK(f.block().shared[i] == (i % 16 < read ? CopyFixture::source_byte(i) : std::byte{0}));
    }
    // A lane that reads nothing may point anywhere.
    std::uint64_t* from = f.lanes<std::uint64_t>(f.warp(0), 0);
    sizes.fill(0);
    f.source = 0;
    f.copy(0, 1024, 16, isa::kAllLanes, sizes.data());
    CHECK(from[0] == 32);
    CHECK(f.findings.findings().empty());
  }
}

TEST_CASE("wait_group leaves the newest groups pending")
{
  CopyFixture f;
  for (const std::uint64_t to : {0U, 512U, 1024U}) {
    f.copy(0, to);
    f.commit(0);
  }
  f.copy(0, 1536);
  f.wait(0, 2);
  CHECK(f.arrived(0, 512));
  CHECK(f.is_poison(512, 1536));
  f.wait(0, 1);
  CHECK(f.arrived(512, 512));
  CHECK(f.is_poison(1024, 1024));
  f.wait(0, 0);
  CHECK(f.arrived(1024, 512));
  CHECK(f.is_poison(1536, 512));
  f.run(f.warp(0), f.make(operation_form(MemoryOperation::copy_wait_all)));
  CHECK(f.arrived(1536, 512));
  CHECK(f.warp(0).memory.copies.empty());
}

TEST_CASE("an empty commit is a group, and each lane counts its own")
{
  CopyFixture f;
  f.copy(0, 0);
  f.commit(0, 0x0000'FFFFU);
  f.commit(0);
  // Lanes 0..15 committed the copy in their first group of two, the others in their first of one.
  f.wait(0, 1);
  CHECK(f.arrived(0, 256));
  CHECK(f.is_poison(256, 256));
  f.wait(0, 0, 0xFFU << 24);
  CHECK(f.is_poison(256, 128));
  CHECK(f.block().shared[384] == CopyFixture::source_byte(384));
}

TEST_CASE("touching a destination before the wait is reported, with the copy's line")
{
  for (const bool writes : {false, true}) {
    CopyFixture f;
    const std::int32_t copy = f.copy(0, 0);
    f.commit(0);
    const MemoryForm form = writes ? store_form(StateSpace::shared, 4) : load_form(StateSpace::shared, 4);
    const std::int32_t touch = f.access(f.warp(0), form, strided(0, 16));
    const Finding& found = f.only(Check::async_read);
    CHECK(found.instruction == touch);
    CHECK(found.other == copy);
    CHECK(found.detail == std::string(writes ? "write" : "read") +
                              " of smem+0 while the copy to it by warp 0 lane 0 was not waited for");
  }
}

TEST_CASE("a lane may read its own copy after the wait, other warps after a barrier too")
{
  struct Row
  {
    bool waits;
    bool barrier;
    std::size_t reader;
    Check expected;
    bool is_fault;
  };
  const Row rows[] = {
      {true, false, 0, Check::hang, false},       {true, true, 1, Check::hang, false},
      {false, true, 1, Check::async_read, true},  {true, false, 1, Check::race_shared, true},
      {false, false, 0, Check::async_read, true},
  };
  for (const AsyncPolicy policy : {AsyncPolicy::at_issue, AsyncPolicy::at_wait}) {
    for (const Row& row : rows) {
      CopyFixture f(policy);
      f.copy(0, 0);
      f.commit(0);
      if (row.waits) f.wait(0, 0);
      if (row.barrier) f.barrier();
      f.access(f.warp(row.reader), load_form(StateSpace::shared, 4, 4), strided(0, 16));
      CHECK(f.findings.findings().empty() == !row.is_fault);
      if (row.is_fault) f.only(row.expected);
    }
  }
}

TEST_CASE("another lane's copy needs more than the wait")
{
  for (const bool meet : {false, true}) {
    CopyFixture f;
    f.copy(0, 0);
    f.commit(0);
    f.wait(0, 0);
    if (meet) lanes_meet(f.warp(0), isa::kAllLanes);
    auto next = strided(16, 16);
    next[31] = 0;
    f.access(f.warp(0), load_form(StateSpace::shared, 4, 4), next);
    CHECK(f.findings.findings().empty() == meet);
  }
}

TEST_CASE("a copy over what another warp still reads is a race")
{
  CopyFixture f;
  f.access(f.warp(0), store_form(StateSpace::shared, 4, 4), strided(0, 16));
  f.barrier();
  f.access(f.warp(1), load_form(StateSpace::shared, 4, 4), strided(0, 16));
  f.copy(0, 0);
  CHECK(f.only(Check::race_shared).detail == "write of smem+0 after an unordered read by warp 1");
}

TEST_CASE("a copy that was never waited for is forgotten with its block")
{
  CopyFixture f;
  f.copy(0, 0);
  f.end_block(0);
  std::vector<MemoryWarp*> warps{&f.warp(0), &f.warp(1)};
  block_starts(f.context, f.block(), Dim3{1, 0, 0}, 1, warps);
  f.access(f.warp(0), store_form(StateSpace::shared, 4), strided(0, 4));
  CHECK(f.findings.findings().empty());
}

}  // namespace flashgate::gpu
