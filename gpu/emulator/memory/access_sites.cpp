#include "gpu/emulator/memory/access_sites.h"

namespace flashgate::gpu {

std::uint32_t AccessSites::number_slow(std::int32_t instruction)
{
  if (instruction < 0 || instructions_.size() > kLast) return 0;
  const auto i = static_cast<std::size_t>(instruction);
  if (i >= numbers_.size()) numbers_.resize(i + 1);
  numbers_[i] = static_cast<std::uint16_t>(instructions_.size());
  instructions_.push_back(instruction);
  return numbers_[i];
}

void AccessSites::clear()
{
  numbers_.clear();
  instructions_.assign(1, -1);
}

}  // namespace flashgate::gpu
