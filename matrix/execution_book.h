#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrix/execution.h"
#include "matrix/execution_selection.h"

namespace flashgate::matrix {

/// What the executions say about one cell of one subject.
struct CellExecutions
{
  std::vector<std::int64_t> ids;           ///< of the executions that answer for it, for table cell_execution
  std::vector<ExecutionFinding> findings;  ///< one per check but "support", its worst; the detail names the execution
  std::vector<ExecutionFinding> skips;     ///< "support": directions without an execution that ran, and why
  Verdict worst = Verdict::pass;           ///< of its executions, skipped ones included; none at all is not in it
};

/// The results of a run's executions, as far as cells need them. Filled first, then asked.
class ExecutionBook
{
 public:
  /// `selection` must outlive it.
  explicit ExecutionBook(const ExecutionSelection& selection);

  /// Notes what was found on case `index` and the id it is stored under. One thread at a time.
  void record(std::size_t index, std::int64_t id, std::vector<ExecutionFinding> findings);

  /// What a cell's plan of rank 0 needs, looked up. A case that was never recorded is a finding `missing`. Any thread,
  /// once all is recorded.
  CellExecutions judge(const Cell& cell, const sim::RankPlan& plan) const;

 private:
  struct Entry
  {
    std::int64_t id = 0;  ///< 0: not recorded
    std::vector<ExecutionFinding> findings;
  };
  void add(std::uint32_t index, CellExecutions& answer) const;

  const ExecutionSelection& selection_;
  std::vector<Entry> entries_;
};

}  // namespace flashgate::matrix
