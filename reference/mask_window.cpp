#include "reference/mask_window.h"

#include <algorithm>

namespace flashgate::reference {

ColumnMask window_mask(const Problem& problem, int window_left, int window_right)
{
  const int s = problem.seqlen_q;
  const bool causal = problem.causal != Causal::none;
  ColumnMask mask = make_column_mask(problem.batch, 1, s, causal ? 1 : 2);
  for (int b = 0; b < problem.batch; ++b) {
    for (int j = 0; j < s; ++j) {
      const int below = j + window_left + 1;
      mask.bound(b, 0, j, 0) = causal ? std::min(below, s) : std::clamp(below, 0, s);
      if (!causal) mask.bound(b, 0, j, 1) = std::clamp(j - window_right, 0, s);
    }
  }
  return mask;
}

}  // namespace flashgate::reference
