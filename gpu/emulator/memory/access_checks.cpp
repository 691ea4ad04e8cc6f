#include "gpu/emulator/memory/access_checks.h"

#include <cstring>

#include "gpu/emulator/memory/access_report.h"

namespace flashgate::gpu {
namespace {

Epoch::Strength strength_of(const FormWord& form)
{
  if (!form.strong()) return Epoch::Strength::weak;
  return form.scope() == Scope::cta ? Epoch::Strength::cta : Epoch::Strength::gpu;
}

/// True if the store changes nothing.
bool same_bytes(const std::byte* there, const std::byte* value, std::size_t bytes)
{
  return value != nullptr && std::memcmp(there, value, bytes) == 0;
}

}  // namespace

AccessChecks::AccessChecks(MemoryWarp& warp, const isa::Instruction& instruction, const FormWord& form,
                           const Request& request, const LanePointers& pointers)
    : warp_(warp), instruction_(instruction), form_(form), request_(request), pointers_(pointers)
{
  MemoryContext& context = *warp.context;
  race_global_ = context.checks.has(Check::race_global) && request.space == StateSpace::global;
  const std::uint32_t site = context.keeps_clocks ? context.sites.number(instruction.index) : 0;
  shared_agent_ = {&warp.memory.clock, 0, site, form.strong()};
  global_agent_ = {&warp.memory.clock, 0, site, strength_of(form)};
}

void AccessChecks::aligned(const LaneAddresses& addresses, isa::LaneMask lanes, std::uint32_t alignment)
{
  std::uint64_t low = 0;
  for (const std::uint64_t address : addresses)
    low |= address;
  if ((low & (alignment - 1)) == 0) return;
  isa::LaneMask wrong = 0;
  for_lanes(lanes, [&](std::uint32_t lane) {
    if ((addresses[lane] & (alignment - 1)) != 0) wrong |= isa::LaneMask{1} << lane;
  });
  if (wrong == 0) return;
  report(warp_, Check::misaligned, instruction_, -1, wrong, [&] {
    return "address " + hex(addresses[__builtin_ctz(wrong)]) + " of an access of " + std::to_string(alignment) +
           " bytes";
  });
}

std::size_t AccessChecks::shared_offset(std::uint32_t lane) const
{
  return static_cast<std::size_t>(pointers_.at[lane] - warp_.block_memory->shared.data());
}

Allocation& AccessChecks::allocation(std::uint32_t lane) const
{
  if (pointers_.allocation != nullptr) return *pointers_.allocation;
  return *warp_.context->global->find(reinterpret_cast<std::uint64_t>(pointers_.at[lane]), request_.bytes);
}

void AccessChecks::reads()
{
  if (request_.space == StateSpace::shared) {
    shared_reads();
  } else if (request_.space == StateSpace::local) {
    local_reads();
  } else if (request_.space != StateSpace::param) {
    global_reads();
  }
}

bool AccessChecks::shared_read_fast(std::size_t offset)
{
  SharedRace& race = *warp_.block_memory->race;
  if (request_.bytes == 16 && offset % 16 == 0) return race.read_row(offset / 16, shared_agent_);
  if (request_.bytes == 4 && offset % 4 == 0) return race.read_word(offset / 4, shared_agent_);
  if (request_.bytes != 8 || offset % 4 != 0) return false;
  return race.read_word(offset / 4, shared_agent_) && race.read_word(offset / 4 + 1, shared_agent_);
}

/// True if the lanes read or write 32 words in a row, beginning where a row of the shadow does.
bool AccessChecks::is_span() const
{
  if (request_.bytes != 4 || pointers_.good != isa::kAllLanes || shared_offset(0) % 16 != 0) return false;
  std::uint64_t differ = 0;
  const auto first = reinterpret_cast<std::uint64_t>(pointers_.at[0]);
  for (std::uint64_t lane = 0; lane < isa::kLanes; ++lane) {
    differ |= reinterpret_cast<std::uint64_t>(pointers_.at[lane]) ^ (first + 4 * lane);
  }
  return differ == 0;
}

/// Records the reads that are plainly in order, and returns the other lanes.
isa::LaneMask AccessChecks::lanes_in_order()
{
  SharedRace& race = *warp_.block_memory->race;
  if (shared_agent_.strong) return pointers_.good;
  if (is_span() && race.read_span(shared_offset(0) / 16, shared_agent_)) return 0;
  isa::LaneMask rest = 0;
  const std::byte* base = warp_.block_memory->shared.data();
  SharedAgent agent = shared_agent_;
  for_lanes(pointers_.good, [&](std::uint32_t lane) {
    const auto offset = static_cast<std::size_t>(pointers_.at[lane] - base);
    agent.lane = lane;
    bool in_order = false;
    if (request_.bytes == 16 && offset % 16 == 0) {
      in_order = race.read_row(offset / 16, agent);
    } else {
      shared_agent_.lane = lane;
      in_order = shared_read_fast(offset);
    }
    rest |= isa::LaneMask{!in_order} << lane;
  });
  return rest;
}

void AccessChecks::shared_reads()
{
  BlockMemory& block = *warp_.block_memory;
  isa::LaneMask in_flight = 0;
  if (block.race != nullptr) {
    for_lanes(lanes_in_order(), [&](std::uint32_t lane) {
      shared_agent_.lane = lane;
      const SharedConflict found = block.race->read(shared_offset(lane), request_.bytes, shared_agent_);
      in_flight |= isa::LaneMask{found.kind == SharedConflict::Kind::in_flight} << lane;
      conflict(found, lane, false);
    });
  }
  if (!warp_.context->checks.has(Check::uninit_shared)) return;
  const WrittenBits& written = block.written;
  const std::byte* base = block.shared.data();
  for_lanes(pointers_.good & ~in_flight, [&](std::uint32_t lane) {
    const auto offset = static_cast<std::size_t>(pointers_.at[lane] - base);
    if (!written.all(offset, request_.bytes)) uninitialised(Check::uninit_shared, lane);
  });
}

void AccessChecks::global_reads()
{
  for_lanes(pointers_.good, [&](std::uint32_t lane) {
    Allocation& memory = allocation(lane);
    const auto offset = static_cast<std::size_t>(pointers_.at[lane] - memory.data());
    if (memory.written != nullptr && !memory.written->all(offset, request_.bytes)) {
      uninitialised(Check::uninit_global, lane);
    }
    if (!race_global_) return;
    global_agent_.lane = lane;
    conflict(check_global_read(memory.race, offset, request_.bytes, global_agent_), lane, false);
  });
}

void AccessChecks::local_reads()
{
  if (!warp_.context->checks.has(Check::uninit_local)) return;
  for_lanes(pointers_.good, [&](std::uint32_t lane) {
    const auto offset = static_cast<std::size_t>(pointers_.at[lane] - warp_.memory.local.data());
    if (!warp_.memory.local_written.all(offset, request_.bytes)) uninitialised(Check::uninit_local, lane);
  });
}

bool AccessChecks::writes_in_order()
{
  BlockMemory& block = *warp_.block_memory;
  if (request_.space != StateSpace::shared || shared_agent_.strong) return false;
  if (block.race != nullptr && !(is_span() && block.race->write_span(shared_offset(0) / 16, shared_agent_))) {
    bool in_order = true;
    for_lanes(pointers_.good, [&](std::uint32_t lane) {
      shared_agent_.lane = lane;
      in_order = in_order && shared_write_fast(shared_offset(lane), false);
    });
    if (!in_order) return false;
  }
  if (warp_.context->checks.has(Check::uninit_shared)) {
    for_lanes(pointers_.good, [&](std::uint32_t lane) { block.written.set(shared_offset(lane), request_.bytes); });
  }
  return true;
}

void AccessChecks::write(std::uint32_t lane, const std::byte* value)
{
  if (request_.space == StateSpace::shared) {
    shared_write(lane, value);
  } else if (request_.space == StateSpace::global) {
    global_write(lane, value);
  } else if (warp_.context->checks.has(Check::uninit_local)) {
    const auto offset = static_cast<std::size_t>(pointers_.at[lane] - warp_.memory.local.data());
    warp_.memory.local_written.set(offset, request_.bytes);
  }
}

bool AccessChecks::shared_write_fast(std::size_t offset, bool in_flight)
{
  SharedRace& race = *warp_.block_memory->race;
  if (request_.bytes == 16 && offset % 16 == 0) return race.write_row(offset / 16, shared_agent_, in_flight);
  if (in_flight || offset % 4 != 0) return false;
  if (request_.bytes == 4) return race.write_word(offset / 4, shared_agent_);
  if (request_.bytes != 8) return false;
  return race.write_word(offset / 4, shared_agent_) && race.write_word(offset / 4 + 1, shared_agent_);
}

void AccessChecks::shared_write(std::uint32_t lane, const std::byte* value)
{
  BlockMemory& block = *warp_.block_memory;
  const std::size_t offset = shared_offset(lane);
  const bool in_flight = value == nullptr;
  shared_agent_.lane = lane;
  if (block.race != nullptr && (shared_agent_.strong || !shared_write_fast(offset, in_flight))) {
    const SharedConflict found = block.race->write(offset, request_.bytes, shared_agent_, in_flight);
    const bool is_race = found.kind != SharedConflict::Kind::none && found.kind != SharedConflict::Kind::in_flight;
    if (is_race && same_bytes(pointers_.at[lane], value, request_.bytes)) {
      ++warp_.context->benign_stores;
    } else {
      conflict(found, lane, true);
    }
  }
  if (!in_flight && warp_.context->checks.has(Check::uninit_shared)) block.written.set(offset, request_.bytes);
}

void AccessChecks::global_write(std::uint32_t lane, const std::byte* value)
{
  Allocation& memory = allocation(lane);
  const auto offset = static_cast<std::size_t>(pointers_.at[lane] - memory.data());
  if (memory.written != nullptr) memory.written->set(offset, request_.bytes);
  if (!race_global_) return;
  global_agent_.lane = lane;
  const GlobalConflict found = check_global_write(memory.race, offset, request_.bytes, global_agent_);
  if (found.kind == GlobalConflict::Kind::none) return;
  if (same_bytes(pointers_.at[lane], value, request_.bytes)) {
    ++warp_.context->benign_stores;
  } else {
    conflict(found, lane, true);
  }
}

void AccessChecks::atomic(std::uint32_t lane)
{
  // No value is given: whether an atomic changes the bytes says nothing about its order with a plain access.
  if (request_.space == StateSpace::shared) {
    BlockMemory& block = *warp_.block_memory;
    const std::size_t offset = shared_offset(lane);
    const bool uninit = warp_.context->checks.has(Check::uninit_shared);
    if (uninit && !block.written.all(offset, request_.bytes)) uninitialised(Check::uninit_shared, lane);
    if (uninit) block.written.set(offset, request_.bytes);
    if (block.race == nullptr) return;
    shared_agent_.lane = lane;
    conflict(block.race->write(offset, request_.bytes, shared_agent_, false), lane, true);
  } else if (request_.space == StateSpace::global) {
    const Allocation& memory = allocation(lane);
    const auto offset = static_cast<std::size_t>(pointers_.at[lane] - memory.data());
    if (memory.written != nullptr && !memory.written->all(offset, request_.bytes)) {
      uninitialised(Check::uninit_global, lane);
    }
    global_write(lane, nullptr);
  }
}

void AccessChecks::synchronise(std::uint32_t lane, bool reads, bool writes)
{
  if (!form_.strong() || !warp_.context->keeps_clocks) return;
  const bool shared = request_.space == StateSpace::shared;
  if (!shared && request_.space != StateSpace::global) return;
  SyncVariables& variables = shared ? warp_.block_memory->sync : warp_.context->sync;
  const std::uint64_t variable = shared ? shared_offset(lane) : reinterpret_cast<std::uint64_t>(pointers_.at[lane]);
  WarpClock& clock = warp_.memory.clock;
  if (reads) variables.read(variable, clock, form_.acquires());
  if (writes) variables.wrote(variable, clock, form_.releases());
}

}  // namespace flashgate::gpu
