// announcing_run WORKER SUITES SUITE DATABASE: runs or resumes the suite, and says on standard output what it has
// committed, a line "SUBJECT DONE" after each commit. It exits as `flashgate run` does.
#include <cstdio>
#include <exception>

#include "matrix/runner.h"
#include "sim/process/child_process.h"

int main(int, char** argv)
{
  using namespace flashgate;
  matrix::RunOptions options;
  options.worker = {argv[1], "worker"};
  options.suites_folder = argv[2];
  options.suite = argv[3];
  options.database = argv[4];
  options.resume = true;
  options.jobs = 2;
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  try {
    sim::adopt_orphans();
    const std::atomic<bool> never = false;
    const auto announce = [](const matrix::Progress& at) {
      std::printf("%s %lld\n", at.subject.c_str(), static_cast<long long>(at.done));
    };
    return static_cast<int>(matrix::run_suite(options, announce, never).exit_code);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(matrix::ExitCode::cannot_run);
  }
}
