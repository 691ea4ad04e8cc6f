#include "gpu/emulator/memory/written_bits.h"

#include <algorithm>

namespace flashgate::gpu {
namespace {

/// The bits of row `row` that [offset, offset + bytes) covers.
unsigned covered(std::size_t row, std::size_t offset, std::size_t bytes)
{
  const std::size_t begin = std::max(offset, row * 16) - row * 16;
  const std::size_t end = std::min(offset + bytes, row * 16 + 16) - row * 16;
  return ((1U << end) - 1) & ~((1U << begin) - 1);
}

}  // namespace

bool WrittenBits::all_slow(std::size_t offset, std::size_t bytes) const
{
  for (std::size_t row = offset / 16; row * 16 < offset + bytes; ++row) {
    const unsigned mask = covered(row, offset, bytes);
    if ((rows_[row] & mask) != mask) return false;
  }
  return true;
}

void WrittenBits::set_slow(std::size_t offset, std::size_t bytes)
{
  for (std::size_t row = offset / 16; row * 16 < offset + bytes; ++row) {
    rows_[row] = static_cast<std::uint16_t>(rows_[row] | covered(row, offset, bytes));
  }
}

void WrittenBits::copy(std::size_t to, const WrittenBits& source, std::size_t from, std::size_t bytes)
{
  const auto bit = [](const std::vector<std::uint16_t>& rows, std::size_t i) {
    return (rows[i / 16] >> i % 16 & 1U) != 0;
  };
  std::vector<bool> bits(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    bits[i] = bit(source.rows_, from + i);
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::size_t at = to + i;
    const unsigned mask = 1U << at % 16;
    rows_[at / 16] = static_cast<std::uint16_t>(bits[i] ? rows_[at / 16] | mask : rows_[at / 16] & ~mask);
  }
}

void WrittenBits::clear() { std::fill(rows_.begin(), rows_.end(), std::uint16_t{0}); }

}  // namespace flashgate::gpu
