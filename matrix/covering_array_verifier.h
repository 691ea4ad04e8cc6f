#pragma once

#include <cstdint>
#include <vector>

#include "matrix/covering_array.h"

namespace flashgate::matrix {

/// What an independent count finds in a would-be covering array.
struct CoverageCount
{
  std::int64_t tuples = 0;      ///< combinations of values of each `strength` factors, possible or not
  std::int64_t covered = 0;     ///< of these, in some row
  std::int64_t impossible = 0;  ///< not covered, and no allowed row has them
  std::int64_t uncovered = 0;   ///< not covered though an allowed row has them: a fault of the array
  std::int64_t bad_rows = 0;    ///< rows that a rule forbids, or with an open or unknown value
};

/// Counts from the rows, sharing no code with the generator: which tuples are possible is read off the full product of
/// the factors that rules read, so keep that product below some millions.
CoverageCount count_coverage(const RowModel& model, int strength, const std::vector<Row>& rows);

}  // namespace flashgate::matrix
