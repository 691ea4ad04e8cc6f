#pragma once

#include "reference/column_mask.h"
#include "reference/problem.h"

namespace flashgate::reference {

/// `window_size` as Paddle's flashmask_attention turns it into columns: keys i - window_left ... i + window_right of
/// row i stay visible, both ends included. Causal: one bound, min(j + left + 1, s). Non-causal: two, clip(j + left + 1,
/// 0, s) and clip(j - right, 0, s); s is seqlen_q. Its quirks are kept, because they are what is under test:
///
///   - the mask has seqlen_q columns, so with seqlen_q != seqlen_k validate() refuses it;
///   - a window of 0 keeps the diagonal only, and -1 is not "no limit": it removes the diagonal as well;
///   - the sliding_window family counts the key itself (lt_start = j + w), so its w is this one's left + 1.
ColumnMask window_mask(const Problem& problem, int window_left, int window_right);

}  // namespace flashgate::reference
