#pragma once

#include <memory>

#include "matrix/backend.h"
#include "matrix/runner.h"

namespace flashgate::app {

/// Runs a suite as every verb that runs one does: executions in worker processes, progress on standard error, and an
/// early end at the first SIGINT or SIGTERM. `made`: the backend that the options name, if the caller has made it
/// already. Errors as run_suite's.
matrix::RunResult run_with_progress(matrix::RunOptions options, std::unique_ptr<matrix::Backend> made = nullptr);

}  // namespace flashgate::app
