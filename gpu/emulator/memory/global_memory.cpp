#include "gpu/emulator/memory/global_memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "gpu/emulator/memory/address.h"
#include "reference/error.h"

namespace flashgate::gpu {
namespace {

constexpr std::byte kRedZoneByte{0xFA};

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

std::string described(const Allocation& a) { return fmt::format("{} ({} bytes)", a.name, a.bytes); }

/// Bytes of [begin, end) that are not the red zone's.
std::size_t damaged(const std::byte* begin, const std::byte* end)
{
  return static_cast<std::size_t>(std::count_if(begin, end, [](std::byte b) { return b != kRedZoneByte; }));
}

}  // namespace

GlobalMemory::GlobalMemory(std::size_t limit, bool track_written) : limit_(limit), track_written_(track_written) {}
GlobalMemory::~GlobalMemory() = default;

std::uint64_t GlobalMemory::allocate(std::size_t bytes, std::string name, std::size_t alignment, bool read_only)
{
  if (bytes > limit_ - allocated_) {
    throw Error(
        fmt::format("device memory exhausted: {} bytes for {}, {} of {} in use", bytes, name, allocated_, limit_));
  }
  auto made = std::make_unique<Allocation>();
  made->storage_bytes = bytes + 2 * kRedZone + alignment;
  try {
    made->storage = std::make_unique_for_overwrite<std::byte[]>(made->storage_bytes);
    if (track_written_) made->written = std::make_unique<WrittenBits>(bytes);
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("device memory exhausted: the host has no {} bytes for {}", bytes, name));
  }
  made->id = next_id_++;
  made->base = (address_of(made->storage.get()) + kRedZone + alignment - 1) / alignment * alignment;
  made->bytes = bytes;
  made->name = std::move(name);
  made->read_only = read_only;
  std::memset(made->storage.get(), std::to_integer<int>(kRedZoneByte), made->storage_bytes);
  std::memset(made->data(), std::to_integer<int>(kPoison), bytes);
  allocated_ += bytes;
  return (*insert(std::move(made)))->base;
}

GlobalMemory::Table::iterator GlobalMemory::insert(std::unique_ptr<Allocation> allocation)
{
  const auto after = std::upper_bound(table_.begin(), table_.end(), allocation->base,
                                      [](std::uint64_t base, const auto& entry) { return base < entry->base; });
  return table_.insert(after, std::move(allocation));
}

GlobalMemory::Table::const_iterator GlobalMemory::at_or_before(std::uint64_t address) const
{
  const auto after = std::upper_bound(table_.begin(), table_.end(), address,
                                      [](std::uint64_t wanted, const auto& entry) { return wanted < entry->base; });
  return after == table_.begin() ? table_.end() : after - 1;
}

void GlobalMemory::free(std::uint64_t address)
{
  const auto at = at_or_before(address);
  if (at == table_.end() || (*at)->base != address || (*at)->external) {
    throw Error(fmt::format("free of {:#x}, which no allocation begins at: {}", address, explain(address, 1)));
  }
  Allocation& freed = **at;
  if (freed.freed) throw Error(fmt::format("free of {}, which was freed before", described(freed)));
  freed.freed = true;
  freed.race.clear();
  forget_hints();
  allocated_ -= freed.bytes;
  quarantined_ += freed.bytes;
  quarantine_.push_back(address);
  while (quarantined_ > kQuarantineBytes) {
    const std::uint64_t oldest = quarantine_.front();
    quarantine_.pop_front();
    quarantined_ -= (*at_or_before(oldest))->bytes;
    erase(oldest);
  }
}

void GlobalMemory::erase(std::uint64_t address)
{
  table_.erase(at_or_before(address));
  forget_hints();
}

void GlobalMemory::register_external(void* memory, std::size_t bytes, std::string name)
{
  const std::uint64_t base = address_of(memory);
  const auto before = at_or_before(base + bytes);
  if (before != table_.end() && (*before)->base + (*before)->bytes > base) {
    throw Error(fmt::format("host memory {} ({} bytes) overlaps {}", name, bytes, described(**before)));
  }
  auto made = std::make_unique<Allocation>();
  made->id = next_id_++;
  made->base = base;
  made->bytes = bytes;
  made->name = std::move(name);
  made->external = true;
  insert(std::move(made));
}

void GlobalMemory::unregister_external(std::uint64_t address)
{
  const auto at = at_or_before(address);
  if (at == table_.end() || (*at)->base != address || !(*at)->external) {
    throw Error(fmt::format("host memory at {:#x} is not registered", address));
  }
  erase(address);
}

Allocation* GlobalMemory::find(std::uint64_t address, std::size_t bytes) const
{
  const auto at = at_or_before(address);
  return at != table_.end() && (*at)->holds(address, bytes) ? at->get() : nullptr;
}

Allocation& GlobalMemory::require(std::uint64_t address, std::size_t bytes, std::string_view what) const
{
  Allocation* found = find(address, bytes);
  if (found == nullptr) throw Error(fmt::format("{} {} bytes: {}", what, bytes, explain(address, bytes)));
  return *found;
}

void GlobalMemory::copy_in(std::uint64_t to, std::span<const std::byte> bytes)
{
  if (bytes.empty()) return;
  Allocation& target = require(to, bytes.size(), "copy to the device of");
  std::memmove(target.data() + (to - target.base), bytes.data(), bytes.size());
  if (target.written) target.written->set(to - target.base, bytes.size());
}

void GlobalMemory::copy_out(std::span<std::byte> to, std::uint64_t from) const
{
  if (to.empty()) return;
  const Allocation& source = require(from, to.size(), "copy from the device of");
  std::memmove(to.data(), source.data() + (from - source.base), to.size());
}

void GlobalMemory::fill(std::uint64_t to, std::byte value, std::size_t bytes)
{
  if (bytes == 0) return;
  Allocation& target = require(to, bytes, "fill of");
  std::memset(target.data() + (to - target.base), std::to_integer<int>(value), bytes);
  if (target.written) target.written->set(to - target.base, bytes);
}

void GlobalMemory::copy(std::uint64_t to, std::uint64_t from, std::size_t bytes)
{
  if (bytes == 0) return;
  const Allocation& source = require(from, bytes, "copy within the device, from it, of");
  Allocation& target = require(to, bytes, "copy within the device of");
  std::memmove(target.data() + (to - target.base), source.data() + (from - source.base), bytes);
  if (target.written == nullptr) return;
  if (source.written != nullptr) {
    target.written->copy(to - target.base, *source.written, from - source.base, bytes);
  } else {
    target.written->set(to - target.base, bytes);
  }
}

void GlobalMemory::mark_written(std::uint64_t to, std::size_t bytes)
{
  if (bytes == 0) return;
  Allocation& target = require(to, bytes, "write of");
  if (target.written) target.written->set(to - target.base, bytes);
}

std::string GlobalMemory::explain(std::uint64_t address, std::size_t bytes) const
{
  if (table_.empty()) return fmt::format("address {:#x}: there are no allocations", address);
  const auto at = at_or_before(address);
  const auto next = at == table_.end() ? table_.begin() : at + 1;
  const std::uint64_t before = next == table_.end() ? ~0ULL : (*next)->base - address;
  if (at == table_.end()) return fmt::format("address {:#x}, {} bytes before {}", address, before, described(**next));

  const Allocation& a = **at;
  const std::uint64_t end = a.base + a.bytes;
  if (a.freed && address < end) return fmt::format("{} bytes into {}, which was freed", address - a.base, described(a));
  constexpr std::uint64_t kNear = 4096;
  if (address < end || (address - end < kNear && address - end <= before)) {
    return fmt::format("{} bytes past the end of {}", address + bytes - end, described(a));
  }
  if (address - end > before)
    return fmt::format("address {:#x}, {} bytes before {}", address, before, described(**next));
  return fmt::format("address {:#x}, {} bytes after the end of {}", address, address - end, described(a));
}

std::vector<std::string> GlobalMemory::damaged_red_zones() const
{
  std::vector<std::string> lines;
  for (const auto& a : table_) {
    if (a->external) continue;
    const std::byte* end = a->data() + a->bytes;
    const std::size_t before = damaged(a->storage.get(), a->data());
    const std::size_t after = damaged(end, a->storage.get() + a->storage_bytes);
    if (before != 0)
      lines.push_back(fmt::format("{} bytes before {} were overwritten by the host", before, described(*a)));
    if (after != 0)
      lines.push_back(fmt::format("{} bytes after {} were overwritten by the host", after, described(*a)));
  }
  return lines;
}

std::vector<const Allocation*> GlobalMemory::allocations() const
{
  std::vector<const Allocation*> live;
  for (const auto& a : table_) {
    if (!a->freed) live.push_back(a.get());
  }
  return live;
}

void GlobalMemory::begin_launch(bool keeps_written)
{
  drop_race_cells();
  if (keeps_written) return;
  for (const auto& a : table_)
    a->written.reset();
}

void GlobalMemory::drop_race_cells()
{
  for (const auto& a : table_)
    a->race.clear();
}

}  // namespace flashgate::gpu
