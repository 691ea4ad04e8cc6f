#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/emulator/memory/allocation.h"

namespace flashgate::gpu {

/// The emulated device's global memory: named allocations at addresses of this process, so that pointers inside
/// structs mean the same to host and device. Module variables (.global, .const) are allocations too.
///
/// Each allocation lies between red zones and begins as poison. A freed one is kept for a while, so that an access to
/// it can be reported with its name. For one thread at a time.
class GlobalMemory
{
 public:
  static constexpr std::size_t kDefaultLimit = std::size_t{16} << 30;
  static constexpr std::size_t kRedZone = 256;
  static constexpr std::size_t kQuarantineBytes = std::size_t{64} << 20;

  /// At most `limit` bytes can be allocated at a time. `track_written`: remember which bytes were ever written, for
  /// uninit_global; costs an eighth of the memory.
  explicit GlobalMemory(std::size_t limit = kDefaultLimit, bool track_written = true);
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;
  ~GlobalMemory();

  /// A new allocation's address. 0 bytes are allowed and give a unique address. `alignment` is a power of two.
  /// Throws Error "device memory exhausted: ..." beyond the limit, or if the host refuses.
  std::uint64_t allocate(std::size_t bytes, std::string name, std::size_t alignment = 256, bool read_only = false);

  /// Throws Error if `address` is not the beginning of a live allocation ("... was freed before").
  void free(std::uint64_t address);

  /// Makes host memory readable and writable by the device, as it is: without red zones, all of it written. The owner
  /// keeps it alive until unregister_external. Throws Error if it overlaps an allocation.
  void register_external(void* memory, std::size_t bytes, std::string name);
  void unregister_external(std::uint64_t address);

  /// Host access, to live allocations only: Error otherwise, naming how far it ran past which buffer. Writes count as
  /// initialisation (read-only allocations included); reading what was never written is allowed.
  void copy_in(std::uint64_t to, std::span<const std::byte> bytes);
  void copy_out(std::span<std::byte> to, std::uint64_t from) const;
  void fill(std::uint64_t to, std::byte value, std::size_t bytes);
  /// Device to device. What was never written stays never written.
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes);
  /// For hosts that write through the address itself.
  void mark_written(std::uint64_t to, std::size_t bytes);

  /// The live allocation that holds all of [address, address + bytes), or nullptr.
  Allocation* find(std::uint64_t address, std::size_t bytes) const;
  /// As find, trying first what `hint` (any number, for example an instruction's index) found last.
  Allocation* find(std::uint64_t address, std::size_t bytes, std::uint32_t hint)
  {
    Allocation*& last = hints_[hint % kHints];
    if (last != nullptr && last->holds(address, bytes)) return last;
    Allocation* found = find(address, bytes);
    if (found != nullptr) last = found;
    return found;
  }

  /// What is wrong with an access that find did not answer: "16 bytes past the end of q (1024 bytes)", "inside k (64
  /// bytes), which was freed", "address 0x... is in no allocation; the nearest, q (...), ends 32 bytes before".
  std::string explain(std::uint64_t address, std::size_t bytes) const;

  /// One line per allocation whose red zones the host damaged (the device can't): "red zone after q (64 bytes) ...".
  std::vector<std::string> damaged_red_zones() const;

  /// Live allocations, by address.
  std::vector<const Allocation*> allocations() const;
  std::size_t allocated_bytes() const { return allocated_; }
  std::size_t limit() const { return limit_; }

  /// All contents and what was written of them, for running a launch again.
  class Snapshot;
  Snapshot snapshot() const;
  /// Back to `snapshot`; allocations made since keep their contents. Throws Error if one of the snapshot's was freed.
  void restore(const Snapshot& snapshot);
  /// True if all of the snapshot's allocations hold the bytes that they held then.
  bool has_contents_of(const Snapshot& snapshot) const;

  /// Called by launches. Race cells of earlier launches are dropped; if the launch does not keep the written bits
  /// (`keeps_written` false), everything counts as written from here on.
  void begin_launch(bool keeps_written);
  void drop_race_cells();

 private:
  static constexpr std::size_t kHints = 64;
  using Table = std::vector<std::unique_ptr<Allocation>>;  // by address; freed ones in quarantine included

  Table::iterator insert(std::unique_ptr<Allocation> allocation);
  Table::const_iterator at_or_before(std::uint64_t address) const;
  Allocation& require(std::uint64_t address, std::size_t bytes, std::string_view what) const;
  void erase(std::uint64_t address);
  void forget_hints() { hints_.fill(nullptr); }

  std::size_t limit_;
  bool track_written_;
  std::size_t allocated_ = 0;
  std::size_t quarantined_ = 0;
  std::uint64_t next_id_ = 1;
  Table table_;
  std::deque<std::uint64_t> quarantine_;  // addresses, oldest first
  std::array<Allocation*, kHints> hints_{};
};

class GlobalMemory::Snapshot
{
 public:
  /// Bytes of contents held.
  std::size_t bytes() const;

 private:
  friend class GlobalMemory;
  struct Part
  {
    std::uint64_t id = 0;
    std::uint64_t address = 0;
    std::string name;
    std::vector<std::byte> contents;
    std::unique_ptr<WrittenBits> written;
  };
  std::vector<Part> parts_;
};

}  // namespace flashgate::gpu
