#pragma once

#include <cstdint>
#include <vector>

namespace flashgate::gpu {

/// Small numbers for the instructions that touch memory, given in order of first use: shadow cells have few bits.
/// 0 means unknown, as does every instruction beyond the last number.
class AccessSites
{
 public:
  static constexpr std::uint32_t kLast = 4095;

  std::uint32_t number(std::int32_t instruction)
  {
    const auto i = static_cast<std::size_t>(instruction);
    if (i < numbers_.size() && numbers_[i] != 0) return numbers_[i];
    return number_slow(instruction);
  }
  /// -1 for 0.
  std::int32_t instruction(std::uint32_t number) const { return instructions_[number]; }
  void clear();

 private:
  std::uint32_t number_slow(std::int32_t instruction);

  std::vector<std::uint16_t> numbers_;
  std::vector<std::int32_t> instructions_{-1};
};

}  // namespace flashgate::gpu
