// pytorch/pytorch#173953: the accumulator was rounded to 32 while head dim 160 went to the kernel for 192.
#include <vector>

#include <doctest/doctest.h>

#include "sim/dispatch/head_dim_tile.h"

namespace flashgate::sim {
namespace {

/// The head dims 8, 16, ... 256 for which an accumulator rule allocates less than the kernel's tile.
template <typename Rule>
std::vector<int> too_small(Rule accumulator)
{
  std::vector<int> found;
  for (int d = 8; d <= 256; d += 8)
    if (accumulator(d) < tile_head_dim(d)) found.push_back(d);
  return found;
}

TEST_CASE("B09: the accumulator holds the tile for every head dim")
{
  CHECK(too_small(accumulator_head_dim).empty());
  CHECK(tile_head_dim(160) == 192);
  CHECK(accumulator_head_dim(160) == 192);
}

TEST_CASE("B09: rounding to 32 throughout fails exactly where it was reported")
{
  const auto rounded_to_32 = [](int d) { return (d + 31) / 32 * 32; };
  CHECK(too_small(rounded_to_32) == std::vector<int>{136, 144, 152, 160, 200, 208, 216, 224});
}

}  // namespace
}  // namespace flashgate::sim
