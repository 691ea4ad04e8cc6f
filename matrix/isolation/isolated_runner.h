#pragma once

#include <vector>

#include "matrix/execution_runner.h"
#include "matrix/isolation/isolation_options.h"

namespace flashgate::matrix {

/// Executes the tasks in `jobs` worker processes and hands out the results in order, as run_executions() does.
///
/// A worker that crashes, hangs, needs too much memory or breaks the protocol costs the task it was busy with: the
/// result then has that as its finding, and the evidence as its incident. Tasks that only waited in that worker are
/// run elsewhere. Whatever fails is run a second time, alone in a fresh worker (settle() says what that is worth).
///
/// `stop` is asked every twentieth of a second at least; workers are gone when this returns or throws. Returns how
/// many results were handed out. Throws Error if workers can't be started.
std::size_t run_isolated(const std::vector<ExecutionTask>& tasks, int jobs, const IsolationOptions& options,
                         const ExecutionListener& listener, const StopRequest& stop);

/// Longest time without progress that a case is given.
double patience_for(const NumericsCase& numerics, double timeout_seconds);

}  // namespace flashgate::matrix
