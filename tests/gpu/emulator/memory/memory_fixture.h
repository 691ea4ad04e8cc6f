#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gpu/emulator/memory/memory_events.h"
#include "gpu/emulator/memory/memory_form.h"

namespace flashgate::gpu {

struct FixtureOptions
{
  CheckSet checks = CheckSet::all();
  std::uint32_t warps = 2;
  std::uint32_t shared_bytes = 4096;
  std::uint32_t local_bytes = 64;
  AsyncPolicy async = AsyncPolicy::at_wait;
};

/// A launch of hand-made warps: no PTX, no engine. Instructions are numbered in the order they are made.
class MemoryFixture
{
 public:
  using Options = FixtureOptions;
  template <typename T>
  using Lanes = std::array<T, isa::kLanes>;

  explicit MemoryFixture(const Options& options = {});

  /// A block of its own warps; the first begins with the fixture. Returns its index.
  std::size_t add_block();
  void end_block(std::size_t block);
  MemoryWarp& warp(std::size_t warp, std::size_t block = 0) { return *blocks_[block]->warps[warp]; }
  BlockMemory& block(std::size_t block = 0) { return blocks_[block]->memory; }

  /// The place of register `number` (64 bits wide, so that any width fits) among the values; kAddress is reserved.
  static std::uint32_t slot(std::uint32_t number) { return number * 256; }
  static constexpr std::uint32_t kRegisters = 40;
  static constexpr std::uint32_t kAddress = 39;

  template <typename T>
  T* lanes(MemoryWarp& warp, std::uint32_t number)
  {
    return warp.lanes<T>(slot(number));
  }

  /// An instruction of `form` whose slots 0, 1, ... are registers 0, 1, ... and whose address is register kAddress.
  isa::Instruction make(const MemoryForm& form);
  void run(MemoryWarp& warp, const isa::Instruction& instruction, isa::LaneMask mask = isa::kAllLanes);
  /// Makes and runs one on addresses[lane]; returns its index.
  std::int32_t access(MemoryWarp& warp, const MemoryForm& form, const Lanes<std::uint64_t>& addresses,
                      isa::LaneMask mask = isa::kAllLanes);

  /// All warps of a block meet at barrier 0.
  void barrier(std::size_t block = 0);

  std::size_t count(Check check) const;
  const Finding& only(Check check) const;

  bool checked = true;
  GlobalMemory global;
  FindingLog findings;
  LaunchCounters counters;
  MemoryContext context;

 private:
  struct Resident
  {
    BlockMemory memory;
    std::vector<std::unique_ptr<MemoryWarp>> warps;
  };
  std::int32_t next_instruction_ = 0;
  std::uint32_t next_block_ = 0;
  std::vector<std::unique_ptr<Resident>> blocks_;
  std::vector<std::unique_ptr<std::byte[]>> registers_;
  std::vector<std::unique_ptr<isa::LaneMask[]>> predicates_;
};

/// first, first + step, first + 2 step, ...
MemoryFixture::Lanes<std::uint64_t> strided(std::uint64_t first, std::uint64_t step);

MemoryForm load_form(StateSpace space, std::uint8_t bytes, std::uint8_t count = 1);
MemoryForm store_form(StateSpace space, std::uint8_t bytes, std::uint8_t count = 1);
MemoryForm with_semantics(MemoryForm form, Semantics semantics, Scope scope = Scope::gpu);
MemoryForm add_form(StateSpace space, Scope scope = Scope::gpu);
MemoryForm fence_form(Scope scope = Scope::gpu);
MemoryForm operation_form(MemoryOperation operation, std::uint8_t bytes = 16, std::uint8_t count = 1);

}  // namespace flashgate::gpu
