#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "sim/process/scratch_folder.h"
#include "sim/process/unique_fd.h"

namespace flashgate::app {

/// What `watch` puts into the environment so that Python processes of the tree write their stacks when asked to, and
/// pytest tells which test runs. Python started with -I or -E sees none of it, and is watched like any program.
class PythonHooks
{
 public:
  /// Writes the modules into a scratch folder. Error if that fails.
  PythonHooks();

  /// What the watched command's environment has beside ours.
  std::vector<std::string> environment() const;

  /// The tests that the next pass leaves out.
  void leave_out(const std::vector<std::string>& tests);

  /// Where the plugin's events can be read, a JSON object a line. Does not block; never at its end.
  int events() const { return events_.get(); }

  /// Asks those of the processes that have the hook for their stacks, and waits for them, 0.3 seconds at most. What
  /// they wrote, a part per process; empty if none answered.
  std::string stacks(const std::vector<pid_t>& processes);

 private:
  sim::ScratchFolder folder_;
  sim::UniqueFd events_;
};

}  // namespace flashgate::app
