#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "matrix/execution.h"

namespace flashgate::matrix {

/// Called once per case, in the order of the cases, on the thread that called run_executions().
using ExecutionListener = std::function<void(std::size_t index, ExecutionResult&& result)>;

/// Executes the cases on `jobs` threads and hands out the results in order, so that equal runs write equal rows. `stop`
/// becoming true ends it after the cases in flight; returns how many results were handed out. What `listener` or
/// the oracle throws comes out of here after all threads have ended.
std::size_t run_executions(const std::vector<NumericsCase>& cases, const Backend& backend, int jobs,
                           const ExecutionListener& listener, const std::atomic<bool>& stop);

}  // namespace flashgate::matrix
