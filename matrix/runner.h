#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "matrix/backend_factory.h"
#include "matrix/run_options.h"
#include "matrix/store.h"

namespace flashgate::matrix {

/// Exit codes of flashgate.
enum class ExitCode : int {
  as_expected = 0,
  failures = 1,    ///< failures or regressions
  incomplete = 2,  ///< interrupted, resumable
  cannot_run = 3,  ///< usage, configuration or infrastructure
  nothing_ran = 5  ///< nothing selected or nothing ran: never an empty green
};

/// How far a run is. Every cell counted here is committed.
struct Progress
{
  std::string subject;
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::map<Verdict, std::int64_t> cells_by_verdict;
  std::int64_t unexpected = 0;
};

/// Called from the thread that runs run_suite(), after each commit.
using ProgressListener = std::function<void(const Progress&)>;

struct RunResult
{
  RunRecord run;
  ExitCode exit_code = ExitCode::cannot_run;
  Progress progress;
  bool resumed = false;
};

/// Runs a suite: selects its cells, asks every subject for a plan of each, judges it, applies the expectations, and
/// stores all of it. A cell is committed before it is announced. Cells are judged on `jobs` threads and written in the
/// order of the suite, so that equal runs write equal rows.
///
/// `stop` becoming true ends the run after the cells in flight, incomplete. Throws Error if the run can't be had; an
/// existing database is then unchanged. `backends` makes what the suite's executions run on.
RunResult run_suite(const RunOptions& options, const ProgressListener& listener, const std::atomic<bool>& stop,
                    const BackendFactory& backends = make_reference_backend);

}  // namespace flashgate::matrix
