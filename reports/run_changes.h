#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/cell_history.h"

namespace flashgate::reports {

/// Rows of one subject whose verdict changed in the same way, with the same finding now.
struct ChangedRows
{
  std::string subject;
  int before = -1;  ///< verdict; -1: not in the older run
  matrix::Verdict now = matrix::Verdict::pass;
  std::string check_id;  ///< of the worst finding now; empty if there is none
  std::string detail;
  std::int64_t rows = 0;
  std::string example_cell;  ///< the first

  bool is_worse() const { return before >= 0 && static_cast<int>(now) > before; }
};

/// What differs between a run and the last one of the same suite before it.
struct RunChanges
{
  std::string older_run;  ///< empty: there is none
  std::string older_started;
  std::int64_t rows = 0;            ///< of the newer run
  std::vector<ChangedRows> groups;  ///< what got worse first, the largest first
};

RunChanges find_changes(const matrix::StoredMatrix& matrix, const std::vector<OlderRun>& history);

}  // namespace flashgate::reports
