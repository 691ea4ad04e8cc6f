#pragma once

#include <atomic>

namespace flashgate::app {

/// Takes SIGINT and SIGTERM over: the first one sets the flag that is returned, so that a run ends after the cells in
/// flight; the second one kills the process groups of all programs that were started, and ends this one at once.
const std::atomic<bool>& stop_on_signal();

}  // namespace flashgate::app
