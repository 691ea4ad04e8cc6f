#include "gpu/emulator/memory/global_memory.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <doctest/doctest.h>

#include "gpu/emulator/memory/address.h"
#include "reference/error.h"

namespace flashgate::gpu {
namespace {

std::byte* bytes_at(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

}  // namespace

TEST_CASE("allocations are aligned, apart, and begin as poison")
{
  GlobalMemory memory;
  for (const std::size_t alignment : {1U, 16U, 256U, 1024U}) {
    for (const std::size_t bytes : {0U, 1U, 255U, 4096U}) {
      const std::uint64_t a = memory.allocate(bytes, "a", alignment);
      CHECK(a % alignment == 0);
      CHECK(std::all_of(bytes_at(a), bytes_at(a) + bytes, [](std::byte b) { return b == kPoison; }));
      CHECK(memory.find(a, bytes)->base == a);
      CHECK(memory.find(a, bytes + 1) == nullptr);
      CHECK(memory.find(a - 1, 1) == nullptr);
    }
  }
  CHECK(memory.allocations().size() == 16);
  CHECK(memory.damaged_red_zones().empty());
}

TEST_CASE("host copies go through whole or throw with the buffer's name")
{
  GlobalMemory memory;
  const std::uint64_t q = memory.allocate(64, "q");
  std::array<std::byte, 65> host{};
  host[3] = std::byte{7};
  memory.copy_in(q, std::span(host).first(64));
  std::array<std::byte, 4> back{};
  memory.copy_out(back, q);
  CHECK(back[3] == std::byte{7});
  memory.fill(q + 60, std::byte{9}, 4);
  memory.copy(q, q + 60, 4);
  CHECK(bytes_at(q)[3] == std::byte{9});
  CHECK_THROWS_WITH_AS(memory.copy_in(q, host), "copy to the device of 65 bytes: 1 bytes past the end of q (64 bytes)",
                       Error);
  CHECK_THROWS_WITH_AS(memory.fill(q + 60, std::byte{0}, 8), "fill of 8 bytes: 4 bytes past the end of q (64 bytes)",
                       Error);
  CHECK_THROWS_AS(memory.copy_out(back, q + 1000), Error);
  CHECK_THROWS_AS(memory.copy(q, 0, 4), Error);
  CHECK_THROWS_AS(memory.mark_written(q, 65), Error);
}

TEST_CASE("a freed allocation is kept for a while and says its name")
{
  GlobalMemory memory;
  const std::uint64_t q = memory.allocate(64, "q");
  CHECK(memory.find(q, 4, 5) != nullptr);
  memory.free(q);
  CHECK(memory.find(q, 4, 5) == nullptr);
  CHECK(memory.find(q, 4) == nullptr);
  CHECK(memory.allocated_bytes() == 0);
  CHECK(memory.explain(q + 8, 4) == "8 bytes into q (64 bytes), which was freed");
  CHECK_THROWS_WITH_AS(memory.free(q), "free of q (64 bytes), which was freed before", Error);
  CHECK_THROWS_AS(memory.free(q + 4), Error);
}

TEST_CASE("the quarantine is bounded, oldest first out")
{
  GlobalMemory memory;
  const std::uint64_t first = memory.allocate(1000, "first");
  memory.free(first);
  for (int i = 0; i < 5; ++i)
    memory.free(memory.allocate(GlobalMemory::kQuarantineBytes / 4, "big"));
  CHECK(memory.explain(first, 1).find("first") == std::string::npos);
}

TEST_CASE("memory runs out at the limit and comes back with free")
{
  GlobalMemory memory(1000);
  const std::uint64_t a = memory.allocate(600, "a");
  CHECK_THROWS_WITH_AS(memory.allocate(401, "b"), "device memory exhausted: 401 bytes for b, 600 of 1000 in use",
                       Error);
  memory.allocate(400, "c");
  memory.free(a);
  memory.allocate(600, "d");
  CHECK_THROWS_AS(memory.allocate(~std::size_t{0}, "e"), Error);
}

TEST_CASE("host memory can be lent to the device")
{
  GlobalMemory memory;
  std::array<std::byte, 128> pinned{};
  const auto address = reinterpret_cast<std::uint64_t>(pinned.data());
  memory.register_external(pinned.data(), pinned.size(), "pinned");
  CHECK(memory.find(address + 100, 28)->name == "pinned");
  memory.fill(address, std::byte{5}, 128);
  CHECK(pinned[127] == std::byte{5});
  CHECK_THROWS_WITH_AS(memory.register_external(pinned.data() + 64, 8, "again"),
                       "host memory again (8 bytes) overlaps pinned (128 bytes)", Error);
  CHECK_THROWS_AS(memory.free(address), Error);
  memory.unregister_external(address);
  CHECK(memory.find(address, 1) == nullptr);
  CHECK_THROWS_AS(memory.unregister_external(address), Error);
}

TEST_CASE("damage that the host did to red zones is found")
{
  GlobalMemory memory;
  const std::uint64_t q = memory.allocate(64, "q");
  std::memset(bytes_at(q) + 64, 0, 3);
  CHECK(memory.damaged_red_zones() ==
        std::vector<std::string>{"3 bytes after q (64 bytes) were overwritten by the host"});
  bytes_at(q)[-1] = std::byte{0};
  CHECK(memory.damaged_red_zones().size() == 2);
}

TEST_CASE("a snapshot brings back contents and what was never written")
{
  GlobalMemory memory;
  const std::uint64_t q = memory.allocate(64, "q");
  memory.fill(q, std::byte{1}, 32);
  const GlobalMemory::Snapshot snapshot = memory.snapshot();
  CHECK(snapshot.bytes() == 64);
  const std::uint64_t later = memory.allocate(16, "later");
  memory.fill(later, std::byte{3}, 16);
  memory.fill(q, std::byte{2}, 64);
  memory.restore(snapshot);
  CHECK(bytes_at(q)[0] == std::byte{1});
  CHECK(bytes_at(q)[63] == kPoison);
  CHECK(memory.find(q, 64)->written->all(0, 32));
  CHECK_FALSE(memory.find(q, 64)->written->all(32, 1));
  CHECK(bytes_at(later)[0] == std::byte{3});
  memory.free(q);
  CHECK_THROWS_WITH_AS(memory.restore(snapshot), "memory can't be restored: q was freed after the snapshot", Error);
}

TEST_CASE("addresses outside are explained by the nearest allocation")
{
  GlobalMemory memory;
  CHECK(memory.explain(16, 4) == "address 0x10: there are no allocations");
  const std::uint64_t q = memory.allocate(64, "q");
  CHECK(memory.explain(q - 8, 4).find("8 bytes before q (64 bytes)") != std::string::npos);
  CHECK(memory.explain(q + 64, 4) == "4 bytes past the end of q (64 bytes)");
  CHECK(memory.explain(q + 10'064, 4).find("10000 bytes after the end of q (64 bytes)") != std::string::npos);
}

}  // namespace flashgate::gpu
