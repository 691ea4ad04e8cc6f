#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "matrix/backend_factory.h"
#include "matrix/execution_book.h"
#include "matrix/execution_runner.h"
#include "matrix/execution_selection.h"
#include "matrix/isolation/isolation_options.h"
#include "matrix/run_selection.h"
#include "matrix/store.h"

namespace flashgate::matrix {

/// The executions of a run: what its plans need, run once each before cells are judged, and looked up per cell.
class SuiteExecutions
{
 public:
  /// Called on the thread that called run(), after the executions counted by `done` are committed; `latest` is the
  /// verdict of the last of them.
  using Listener = std::function<void(std::int64_t done, Verdict latest)>;

  /// Plans every cell of every subject, selects the executions and makes their backends. A backend or an evidence level
  /// that `options` name goes before the suite's. REQUIRES: the suite has executions. Throws Error as `backends` does.
  SuiteExecutions(const RunSelection& selection, const RunOptions& options, int jobs, const BackendFactory& backends);

  /// Executions that the run's own cells need: of a shard, its part of all.
  std::int64_t count() const { return static_cast<std::int64_t>(ours_.size()); }

  /// What is executed where, in order, by all shards together.
  const std::vector<ExecutionTask>& tasks() const { return tasks_; }

  /// Runs and stores them, in order, but for those that the run has stored already. Returns false if `stop` ended it
  /// early.
  bool run(Store& store, std::int64_t run, const Listener& listener, const StopRequest& stop);

  /// What they say about a cell, by its plan of rank 0. Any thread, after run().
  CellExecutions judge(const Cell& cell, const sim::RankPlan& plan) const { return book_.judge(cell, plan); }

 private:
  std::vector<std::size_t> needed_by(const RunSelection& selection, int jobs) const;
  void raise_to_l2(std::size_t limit, const Backend& backend);

  /// Positions of our tasks that are not among the stored executions, whose findings are noted.
  std::vector<std::size_t> not_stored(const std::unordered_map<std::string, StoredExecution>& stored);

  ExecutionSelection selection_;
  ExecutionBook book_;
  int jobs_;
  IsolationOptions isolation_;
  std::vector<std::unique_ptr<Backend>> backends_;
  std::vector<ExecutionTask> tasks_;
  std::vector<std::size_t> ours_;  ///< positions of those that the run's own cells need, ascending
};

}  // namespace flashgate::matrix
