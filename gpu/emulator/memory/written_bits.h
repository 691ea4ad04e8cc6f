#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flashgate::gpu {

/// Which bytes of a memory were ever written: a bit per byte, kept in rows of 16 bytes so that a row is one compare.
/// Offsets are the caller's promise: nothing is checked here.
class WrittenBits
{
 public:
  static constexpr std::uint16_t kFullRow = 0xFFFF;

  WrittenBits() = default;
  explicit WrittenBits(std::size_t bytes) : rows_((bytes + 15) / 16) {}

  bool row_full(std::size_t row) const { return rows_[row] == kFullRow; }
  void fill_row(std::size_t row) { rows_[row] = kFullRow; }

  bool all(std::size_t offset, std::size_t bytes) const
  {
    const std::size_t first = offset % 16;
    if (first + bytes > 16) return all_slow(offset, bytes);
    const unsigned mask = ((1U << bytes) - 1) << first;
    return (rows_[offset / 16] & mask) == mask;
  }

  void set(std::size_t offset, std::size_t bytes)
  {
    const std::size_t first = offset % 16;
    if (first + bytes > 16) return set_slow(offset, bytes);
    rows_[offset / 16] = static_cast<std::uint16_t>(rows_[offset / 16] | ((1U << bytes) - 1) << first);
  }

  /// The bits of `bytes` bytes at `from` of `source` become those at `to` here.
  void copy(std::size_t to, const WrittenBits& source, std::size_t from, std::size_t bytes);
  void clear();

  bool operator==(const WrittenBits&) const = default;

 private:
  bool all_slow(std::size_t offset, std::size_t bytes) const;
  void set_slow(std::size_t offset, std::size_t bytes);

  std::vector<std::uint16_t> rows_;
};

}  // namespace flashgate::gpu
