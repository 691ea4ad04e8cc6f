#include "reference/lse_merge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/error.h"

namespace flashgate::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An empty part is settled before any arithmetic: (-inf) - (-inf) would make its weight NaN, and its O, which nobody
/// may have written, would come in through 0 x NaN.
void merge_row(const AttentionOutputs& part, AttentionOutputs& merged, int b, int h, int i)
{
  const double part_lse = part.lse(b, h, i, 0);
  const double merged_lse = merged.lse(b, h, i, 0);
  auto o = merged.o.head(b, h).row(i);
  if (part_lse == -kInfinity) {
    if (merged_lse == -kInfinity) o.setZero();
    return;
  }
  const auto part_o = part.o.head(b, h).row(i);
  if (merged_lse == -kInfinity) {
    o = part_o;
    merged.lse(b, h, i, 0) = part_lse;
    return;
  }
  const double maximum = std::max(part_lse, merged_lse);
  const double part_weight = std::exp(part_lse - maximum);
  const double merged_weight = std::exp(merged_lse - maximum);
  const double sum = part_weight + merged_weight;
  o = (part_weight * part_o + merged_weight * o) / sum;
  merged.lse(b, h, i, 0) = maximum + std::log(sum);
}

}  // namespace

void merge_partial(const AttentionOutputs& part, AttentionOutputs& merged)
{
  if (!part.o.same_shape(merged.o) || !part.lse.same_shape(merged.lse)) {
    throw Error("merge_partial: the parts must have equal shapes");
  }
  for (int b = 0; b < merged.o.batch(); ++b) {
    for (int h = 0; h < merged.o.heads(); ++h) {
      for (int i = 0; i < merged.o.seq(); ++i)
        merge_row(part, merged, b, h, i);
    }
  }
}

}  // namespace flashgate::reference
