#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "matrix/route_difference.h"
#include "reports/cell_history.h"

namespace flashgate::reports {

/// Rows of one subject whose verdict changed in the same way, with the same finding now, named by a small conjunction
/// that covers them and no row that did not change so.
struct ChangedRows
{
  std::string subject;
  int before = -1;  ///< verdict; -1: not in the older run
  matrix::Verdict now = matrix::Verdict::pass;
  std::string check_id;  ///< of the worst finding now; empty if there is none
  std::string detail;
  std::optional<std::string> condition;  ///< Condition::text(), "": everywhere; none for rows that are no cells (watch)
  std::int64_t rows = 0;
  std::string example_cell;                 ///< the first
  std::optional<matrix::Parting> deciding;  ///< where the example's decisions part from the older run's

  bool is_worse() const { return before >= 0 && static_cast<int>(now) > before; }
  auto key() const { return std::tie(subject, before, now, check_id, detail); }
};

/// More ways to change than this are counted; the matrix has their rows under dimension change.
inline constexpr std::size_t kMostChanges = 50;

/// What differs between a run and the last one of the same suite before it.
struct RunChanges
{
  std::string older_run;  ///< empty: there is none
  std::string older_started;
  std::int64_t rows = 0;                          ///< of the newer run
  std::int64_t worse = 0, better = 0, fresh = 0;  ///< of these, what the verdict did; fresh: the older run lacks them
  std::vector<ChangedRows> groups;                ///< what got worse first, the largest first
  std::size_t left_out = 0;                       ///< ways to change beyond kMostChanges
};

/// `history` is that of `matrix`; its first entry is what the run is compared with.
RunChanges find_changes(const matrix::StoredMatrix& matrix, const std::vector<OlderRun>& history);

/// Reads where the examples' decisions part, from the run of the changes and the one it was compared with.
void add_deciding(RunChanges& changes, const HistorySource& newer, const HistorySource& older);

}  // namespace flashgate::reports
