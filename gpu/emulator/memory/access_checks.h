#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/emulator/memory/global_race.h"
#include "gpu/emulator/memory/lane_pointers.h"
#include "gpu/emulator/memory/shared_race.h"

namespace flashgate::gpu {

/// The checks of one warp instruction's accesses: alignment, what was never written, copies in flight, races. What they
/// find is reported; the access goes on either way. Only lanes of pointers.good may be given.
class AccessChecks
{
 public:
  AccessChecks(MemoryWarp& warp, const isa::Instruction& instruction, const FormWord& form, const Request& request,
               const LanePointers& pointers);

  /// Addresses that are no multiple of `alignment` (a power of two).
  void aligned(const LaneAddresses& addresses, isa::LaneMask lanes, std::uint32_t alignment);

  /// All good lanes read.
  void reads();
  /// All good lanes are about to store. False where one may be in conflict: then write() says for each.
  bool writes_in_order();
  /// A lane is about to store `value`, request.bytes long; nullptr if it will be known later (a copy in flight).
  void write(std::uint32_t lane, const std::byte* value);
  /// A lane is about to read and write in one.
  void atomic(std::uint32_t lane);
  /// What a strong read or write of the lane (atomics: both) means to the order of others. After the access.
  void synchronise(std::uint32_t lane, bool reads, bool writes);

 private:
  void shared_reads();
  void global_reads();
  void local_reads();
  void shared_write(std::uint32_t lane, const std::byte* value);
  void global_write(std::uint32_t lane, const std::byte* value);
  bool shared_read_fast(std::size_t offset);
  bool shared_write_fast(std::size_t offset, bool in_flight);
  bool is_span() const;
  isa::LaneMask lanes_in_order();
  void uninitialised(Check check, std::uint32_t lane);
  void conflict(const SharedConflict& found, std::uint32_t lane, bool is_write);
  void conflict(const GlobalConflict& found, std::uint32_t lane, bool is_write);
  std::size_t shared_offset(std::uint32_t lane) const;
  Allocation& allocation(std::uint32_t lane) const;
  std::string place(std::uint32_t lane) const;

  MemoryWarp& warp_;
  const isa::Instruction& instruction_;
  const FormWord form_;
  const Request& request_;
  const LanePointers& pointers_;
  SharedAgent shared_agent_;
  GlobalAgent global_agent_;
  bool race_global_;
};

}  // namespace flashgate::gpu
