#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrix/store.h"
#include "sim/checkout/git_repository.h"

namespace flashgate::matrix {

/// A changed line that can run.
struct PatchLine
{
  std::string file;
  int line = 0;
  std::int64_t hits = 0;
  std::string example_cell;  ///< a cell that ran it; empty if none did
};

/// How much of a patch the cells ran. Only executable lines of dispatch functions count: the rest of a diff (comments,
/// signatures, other files) can't be covered by asking for attention.
struct PatchCoverage
{
  std::vector<PatchLine> lines;  ///< by file and line

  std::int64_t covered() const;
  /// Of the lines, from 0 to 100; 100 if the patch has none.
  double percent() const;
};

/// Joins the lines that a diff added or changed with the lines that the head has run or could have run.
PatchCoverage join_coverage(const std::vector<sim::ChangedFile>& changed, const std::vector<CoverageRow>& executable);

}  // namespace flashgate::matrix
