#include <algorithm>
#include <cstring>

#include "gpu/emulator/memory/access_checks.h"
#include "gpu/emulator/memory/access_counters.h"
#include "gpu/emulator/memory/handlers.h"

namespace flashgate::gpu {
namespace {

constexpr int kSource = 0;
constexpr int kSourceSize = 1;
constexpr int kIgnoreSource = 2;

/// Bytes that each lane reads; the rest of what it writes is zero.
void read_sizes(const MemoryWarp& warp, const isa::Instruction& instruction, const FormWord& form, AsyncCopy& copy)
{
  copy.read.fill(static_cast<std::uint8_t>(form.element_bytes()));
  if (instruction.slot[kSourceSize] != isa::kNoSlot) {
    const auto* sizes = warp.lanes<std::uint32_t>(instruction.slot[kSourceSize]);
    for (std::size_t lane = 0; lane < isa::kLanes; ++lane) {
      copy.read[lane] = static_cast<std::uint8_t>(std::min(sizes[lane], form.element_bytes()));
    }
  }
  if (instruction.slot[kIgnoreSource] == isa::kNoSlot) return;
  for_lanes(warp.predicates[instruction.slot[kIgnoreSource]], [&](std::uint32_t lane) { copy.read[lane] = 0; });
}

void read_source_addresses(const MemoryWarp& warp, const isa::Instruction& instruction, LaneAddresses& addresses)
{
  const auto offset = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(instruction.b)});
  if (instruction.slot[kSource] == isa::kNoSlot) return addresses.fill(offset);
  const auto* base = warp.lanes<std::uint64_t>(instruction.slot[kSource]);
  for (std::size_t lane = 0; lane < isa::kLanes; ++lane)
    addresses[lane] = base[lane] + offset;
}

/// Finds the sources, the lanes that read as many bytes together. Lanes that read nothing have none.
template <bool kChecked>
void locate_sources(MemoryWarp& warp, const isa::Instruction& instruction, const FormWord& form, isa::LaneMask mask,
                    AsyncCopy& copy)
{
  alignas(64) LaneAddresses all;
  read_source_addresses(warp, instruction, all);
  while (mask != 0) {
    const std::uint8_t size = copy.read[__builtin_ctz(mask)];
    const std::uint64_t first = all[__builtin_ctz(mask)];
    alignas(64) LaneAddresses addresses;
    isa::LaneMask lanes = 0;
    for (std::size_t lane = 0; lane < isa::kLanes; ++lane) {
      const bool taken = (mask >> lane & 1U) != 0 && copy.read[lane] == size;
      lanes |= isa::LaneMask{taken} << lane;
      addresses[lane] = taken ? all[lane] : first;
    }
    mask &= ~lanes;
    if (size == 0) continue;
    const Request request{StateSpace::global, size, false, false};
    LanePointers pointers;
    locate(warp, instruction, lanes, request, addresses, pointers);
    for_lanes(lanes, [&](std::uint32_t lane) { copy.from[lane] = pointers.at[lane]; });
    // Poison lies in this thread's storage, which outlives the copy.
    if constexpr (kChecked) {
      count_access(*warp.context, request, addresses, lanes);
      AccessChecks checks(warp, instruction, form, request, pointers);
      if (size == form.element_bytes()) checks.aligned(addresses, lanes, size);
      checks.reads();
    }
  }
}

void deliver(std::byte* to, const AsyncCopy& copy, std::uint32_t lane)
{
  const std::size_t read = copy.read[lane];
  if (read == 16) {
    std::memcpy(to, copy.from[lane], 16);
    return;
  }
  if (read != 0) std::memcpy(to, copy.from[lane], read);
  std::memset(to + read, 0, copy.bytes - read);
}

template <bool kChecked>
void copy_async(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  const FormWord form(instruction.a);
  alignas(64) LaneAddresses addresses;
  read_addresses(warp, instruction, form.wide_address(), mask, addresses);
  const bool window = space_of(addresses[__builtin_ctz(mask)]) == StateSpace::shared;
  const Request request{StateSpace::shared, form.element_bytes(), true, window};
  LanePointers pointers;
  locate(warp, instruction, mask, request, addresses, pointers);
  if (pointers.good == 0) return;

  AsyncCopy& copy = warp.memory.copies.add();
  copy.lanes = pointers.good;
  copy.instruction = instruction.index;
  copy.bytes = static_cast<std::uint8_t>(form.element_bytes());
  read_sizes(warp, instruction, form, copy);
  locate_sources<kChecked>(warp, instruction, form, pointers.good, copy);
  if constexpr (kChecked) {
    count_access(*warp.context, request, addresses, mask);
    AccessChecks checks(warp, instruction, form, request, pointers);
    checks.aligned(addresses, mask, request.bytes);
    for_lanes(pointers.good, [&](std::uint32_t lane) { checks.write(lane, nullptr); });
  }
  const std::byte* shared = warp.block_memory->shared.data();
  std::array<std::byte, 16> poison;
  poison.fill(kPoison);
  const bool at_issue = warp.context->async == AsyncPolicy::at_issue;
  for_lanes(pointers.good, [&](std::uint32_t lane) {
    copy.to[lane] = static_cast<std::uint32_t>(pointers.at[lane] - shared);
    if (at_issue) {
      deliver(pointers.at[lane], copy, lane);
    } else if (copy.bytes == 16) {
      std::memcpy(pointers.at[lane], poison.data(), 16);
    } else {
      std::memcpy(pointers.at[lane], poison.data(), copy.bytes);
    }
  });
}

/// The copy was waited for by its lanes.
template <bool kChecked>
void complete(MemoryWarp& warp, const AsyncCopy& copy)
{
  BlockMemory& block = *warp.block_memory;
  const bool deliver_now = warp.context->async == AsyncPolicy::at_wait;
  const bool uninit = kChecked && warp.context->checks.has(Check::uninit_shared);
  SharedAgent agent{&warp.memory.clock, 0, 0, false};
  for_lanes(copy.lanes, [&](std::uint32_t lane) {
    const std::size_t offset = copy.to[lane];
    if (deliver_now) deliver(block.shared.data() + offset, copy, lane);
    if (uninit) block.written.set(offset, copy.bytes);
    agent.lane = lane;
    if (kChecked && block.race != nullptr) block.race->arrived(offset, copy.bytes, agent);
  });
}

void commit(isa::Registers& registers, const isa::Instruction&, isa::LaneMask mask)
{
  static_cast<MemoryWarp&>(registers).memory.copies.commit(mask);
}

template <bool kChecked>
void wait_group(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  warp.memory.copies.wait_group(mask, instruction.immediate,
                                [&](const AsyncCopy& copy) { complete<kChecked>(warp, copy); });
}

template <bool kChecked>
void wait_all(isa::Registers& registers, const isa::Instruction&, isa::LaneMask mask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  warp.memory.copies.wait_all(mask, [&](const AsyncCopy& copy) { complete<kChecked>(warp, copy); });
}

}  // namespace

isa::Handler async_copy_handler(const MemoryForm& form, bool checked)
{
  switch (form.operation) {
    case MemoryOperation::copy_commit:
      return commit;
    case MemoryOperation::copy_wait_group:
      return checked ? wait_group<true> : wait_group<false>;
    case MemoryOperation::copy_wait_all:
      return checked ? wait_all<true> : wait_all<false>;
    default:
      break;
  }
  const bool known_size = form.element_bytes == 4 || form.element_bytes == 8 || form.element_bytes == 16;
  if (!known_size) return nullptr;
  return checked ? copy_async<true> : copy_async<false>;
}

}  // namespace flashgate::gpu
