// B21: from one release on, variable-length LSE came as [heads, total] instead of [batch, heads, max length].
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "sim/context_parallel/lse_layout.h"

namespace flashgate::sim {

TEST_CASE("B21: both layouts of two sequences give the same canonical LSE, and pads are never read")
{
  const double ln2 = std::log(2.0);
  const double pad = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> canonical{0, ln2, ln2, 1, 1 + ln2, 1 + ln2};
  const LseFormat varlen{LseLayout::varlen, 2, {0, 1, 3}};
  CHECK(read_lse(canonical, varlen) == canonical);
  const LseFormat padded{LseLayout::padded, 2, {0, 1, 3}, 2};
  const std::vector<double> memory{0, pad, 1, pad, ln2, ln2, 1 + ln2, 1 + ln2};
  CHECK(read_lse(memory, padded) == canonical);
}

TEST_CASE("B21: one layout's memory read as the other is refused where sizes differ")
{
  CHECK_THROWS_AS(read_lse(std::vector<double>(8), {LseLayout::varlen, 2, {0, 1, 3}}), Error);
  CHECK_THROWS_AS(read_lse(std::vector<double>(6), {LseLayout::padded, 2, {0, 1, 3}, 2}), Error);
}

}  // namespace flashgate::sim
