#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "matrix/suite.h"

namespace flashgate::matrix {

/// What a suite selects, and what it can't.
struct Enumeration
{
  std::vector<Cell> cells;  ///< in the order of the suite's parts, each cell once; allowed by the constraints

  /// Cells of product parts that a constraint excludes, by the reason of the first one that does.
  std::map<std::string, std::int64_t> excluded_by_reason;

  /// Value tuples that array parts should cover and no allowed cell has, by reason: that of the first constraint that
  /// forbids the tuple alone. Tuples, not cells: an array part picks allowed cells only, so it excludes none; what it
  /// leaves uncovered is counted here so that no gap is silent.
  std::map<std::string, std::int64_t> impossible_tuples_by_reason;

  /// Cells of a later part that an earlier part had selected already.
  std::int64_t merged = 0;
};

/// All that is left out, by reason, for the record: cells, and value tuples marked as such.
std::map<std::string, std::int64_t> left_out(const Enumeration& enumeration);

/// The cells of a suite. Deterministic: equal suites give equal results. Throws Error if a part can't be had (strength
/// above its number of axes) or, as an error of the program, selects a cell twice.
Enumeration enumerate(const Suite& suite);

}  // namespace flashgate::matrix
