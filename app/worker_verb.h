#pragma once

#include <string>
#include <vector>

namespace flashgate::app {

/// The command of a worker: this very program, even if its file has been replaced since. What adopts orphans, so that
/// nothing a worker leaves behind gets lost, is this process from then on.
std::vector<std::string> worker_command();

}  // namespace flashgate::app
