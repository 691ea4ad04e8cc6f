#pragma once

#include <functional>
#include <vector>

#include "matrix/execution.h"

namespace flashgate::matrix {

/// A case and where it runs.
struct ExecutionTask
{
  NumericsCase numerics;
  const Backend* backend = nullptr;  ///< not owned
};

/// Called once per task, in the order of the tasks, on the thread that called run_executions().
using ExecutionListener = std::function<void(std::size_t index, ExecutionResult&& result)>;

/// Asked often, on the thread that called; true ends what is going on.
using StopRequest = std::function<bool()>;

/// Executes the tasks on `jobs` threads and hands out the results in order, so that equal runs write equal rows. `stop`
/// ends it after the tasks in flight; returns how many results were handed out. What `listener` or
/// the oracle throws comes out of here after all threads have ended.
std::size_t run_executions(const std::vector<ExecutionTask>& tasks, int jobs, const ExecutionListener& listener,
                           const StopRequest& stop);

}  // namespace flashgate::matrix
