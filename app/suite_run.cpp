#include "app/suite_run.h"

#include <iostream>

#include <unistd.h>

#include "app/backend_table.h"
#include "app/progress_line.h"
#include "app/stop_signal.h"
#include "app/worker_verb.h"

namespace flashgate::app {

matrix::RunResult run_with_progress(matrix::RunOptions options, std::unique_ptr<matrix::Backend> made)
{
  options.worker = worker_command();
  const auto backends = [&](const matrix::BackendRequest& request) {
    const bool is_made = made && request.name == options.backend && request.evidence == options.evidence;
    return is_made ? std::move(made) : make_backend(request);
  };
  ProgressLine progress(std::cerr, isatty(STDERR_FILENO) != 0);
  matrix::RunResult result = matrix::run_suite(
      options, [&](const matrix::Progress& at) { progress.show(at); }, stop_on_signal(), backends);
  progress.finish();
  return result;
}

}  // namespace flashgate::app
