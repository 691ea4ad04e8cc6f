#pragma once

#include "matrix/covering_array.h"

namespace flashgate::matrix {

/// A covering array gives every factor that a row leaves open value 0, so that value crowds out the others. This
/// changes values of `factors` in place, wherever every pair that a row gives up is in another row as well, until the
/// values of each factor are as even as a pass over all rows makes them. Every pair that was covered still is, every
/// row stays allowed. For arrays of strength 2. Deterministic.
void balance_pairs(const RowModel& model, const std::vector<int>& factors, std::vector<Row>& rows);

}  // namespace flashgate::matrix
