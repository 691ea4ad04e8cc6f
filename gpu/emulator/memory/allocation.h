#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gpu/emulator/memory/race_cells.h"
#include "gpu/emulator/memory/written_bits.h"

namespace flashgate::gpu {

/// One piece of global memory, and its shadow.
struct Allocation
{
  std::uint64_t id = 0;  ///< never used twice
  std::uint64_t base = 0;
  std::size_t bytes = 0;
  std::string name;
  bool read_only = false;
  bool external = false;
  bool freed = false;                    ///< in quarantine
  std::unique_ptr<std::byte[]> storage;  ///< with the red zones; empty for external ranges
  std::size_t storage_bytes = 0;
  std::unique_ptr<WrittenBits> written;  ///< nullptr: everything counts as written
  RaceCells race;                        ///< of the launch under way, made as it goes

  bool holds(std::uint64_t address, std::size_t size) const
  {
    return !freed && address >= base && size <= bytes && address - base <= bytes - size;
  }
  std::byte* data() const { return reinterpret_cast<std::byte*>(base); }
};

}  // namespace flashgate::gpu
