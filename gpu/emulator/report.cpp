#include "gpu/emulator/report.h"

#include "gpu/emulator/block.h"

namespace flashgate::gpu {
namespace {

/// "0-2, 5, 6" of numbers in ascending order.
std::string ranges(const std::vector<std::uint32_t>& numbers)
{
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    if (first != 0) text += ", ";
    text += std::to_string(numbers[first]);
    if (last > first) text += (last == first + 1 ? ", " : "-") + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace

void report(Engine& engine, const Warp& warp, Check check, isa::LaneMask lanes, std::int32_t instruction,
            std::int32_t other, const std::string& detail)
{
  Finding finding;
  finding.check = check;
  finding.block = warp.block->index;
  finding.warp = warp.id;
  finding.lanes = lanes;
  finding.instruction = instruction;
  finding.other = other;
  finding.detail = detail;
  engine.log.add(std::move(finding));
}

std::string warp_list(const std::vector<std::uint32_t>& warps)
{
  return (warps.size() == 1 ? "warp " : "warps ") + ranges(warps);
}

std::string lane_list(isa::LaneMask lanes)
{
  std::vector<std::uint32_t> numbers;
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    numbers.push_back(static_cast<std::uint32_t>(__builtin_ctz(rest)));
  }
  return (numbers.size() == 1 ? "lane " : "lanes ") + ranges(numbers);
}

}  // namespace flashgate::gpu
