#pragma once

#include "matrix/runner.h"

namespace flashgate::app {

/// Runs a suite as every verb that runs one does: executions in worker processes, progress on standard error, and an
/// early end at the first SIGINT or SIGTERM. Errors as run_suite's.
matrix::RunResult run_with_progress(matrix::RunOptions options);

}  // namespace flashgate::app
