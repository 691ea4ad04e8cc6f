#pragma once

#include "reference/attention.h"

namespace flashgate::reference {

/// Merges the attention over one set of keys with the attention over another, disjoint one, into `merged`:
///
///   m = max(l1, l2), w1 = exp(l1 - m), w2 = exp(l2 - m), O = (w1 O1 + w2 O2) / (w1 + w2), l = m + log(w1 + w2)
///
/// row by row. LSE = -inf is an empty part: merging with it gives the other part exactly, whatever its O holds, and two
/// of them give O = 0, LSE = -inf. Commutative; associative up to rounding. A part whose empty rows say +inf (flag
/// version 2) is converted before it comes here; a +inf that does come makes the row NaN. A sink must be in one of the
/// parts only. Throws Error if the shapes differ.
void merge_partial(const AttentionOutputs& part, AttentionOutputs& merged);

}  // namespace flashgate::reference
