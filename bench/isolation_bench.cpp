// What isolation costs, as ratios and rates: executions in workers against threads, empty cases through one worker, the
// time from a deadline until a hanging worker is dumped, killed and replaced, and rows that the store takes.
//
// Google Benchmark repeats short functions; these are whole runs, so they are timed here: rates by the best of several,
// the ratio by the median of pairs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include <unistd.h>

#include "matrix/isolation/isolated_runner.h"
#include "matrix/isolation/worker.h"
#include "matrix/reference_backend.h"
#include "matrix/store.h"
#include "sim/process/child_process.h"

namespace flashgate::matrix {
namespace {

using Clock = std::chrono::steady_clock;

/// Has nothing to do.
class IdleBackend : public ReferenceBackend
{
 public:
  std::string name() const override { return "idle"; }
  std::string refusal(const NumericsCase&) const override { return "this is about how long nothing takes"; }
};

class SpinningBackend : public ReferenceBackend
{
 public:
  std::string name() const override { return "spinning"; }
  void run(const KernelCall&, KernelOutputs&) const override
  {
    for (volatile int n = 0;;)
      n = 1 - n;
  }
};

std::unique_ptr<Backend> make_bench_backend(const BackendRequest& request)
{
  if (request.name == "idle") return std::make_unique<IdleBackend>();
  if (request.name == "spinning") return std::make_unique<SpinningBackend>();
  return std::make_unique<ReferenceBackend>();
}

IsolationOptions options_with(double timeout_seconds)
{
  IsolationOptions options;
  options.program = {"/proc/self/exe"};
  options.timeout_seconds = timeout_seconds;
  options.cases_per_worker = 1 << 30;
  return options;
}

double seconds_of(const std::function<void()>& work)
{
  const auto started = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - started).count();
}

double median_of(std::vector<double> values)
{
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

double best_of(int times, const std::function<void()>& work)
{
  double best = seconds_of(work);
  for (int n = 1; n < times; ++n)
    best = std::min(best, seconds_of(work));
  return best;
}

const StopRequest kNeverStop = [] { return false; };
const ExecutionListener kNobody = [](std::size_t, ExecutionResult&&) {};

std::vector<ExecutionTask> idle_tasks(std::size_t count, const Backend& backend)
{
  return std::vector<ExecutionTask>(count, {parse_numerics_case("v3/seqlen=1,head_dim=64,heads=1/1"), &backend});
}

void report_idle_cases()
{
  constexpr std::size_t kCases = 20'000;
  const IdleBackend backend;
  const auto some = idle_tasks(kCases, backend);
  const auto none = idle_tasks(1, backend);  // what starting a worker takes is no cost of a case
  const auto run = [](const std::vector<ExecutionTask>& tasks) {
    return best_of(3, [&] { run_isolated(tasks, 1, options_with(60), kNobody, kNeverStop); });
  };
  std::printf("empty cases through one worker   %10.0f /s\n", static_cast<double>(kCases) / (run(some) - run(none)));
}

void report_overhead()
{
  constexpr int kRounds = 20;  // a suite's worth of executions: starting the workers is a part of the cost
  const ReferenceBackend backend;
  std::vector<ExecutionTask> tasks;
  for (int round = 0; round < kRounds; ++round)
    for (const char* name :
         {"v3", "v2/seqlen=257,direction=backward", "v4/head_dim=64,family=document", "v3/seqlen=129"})
      tasks.push_back({parse_numerics_case(name), &backend});
  std::vector<double> threads, workers, ratios;
  for (int pair = 0; pair < 9; ++pair) {  // one after the other, so that a slow minute of the machine slows both
    threads.push_back(seconds_of([&] { run_executions(tasks, 2, kNobody, kNeverStop); }));
    workers.push_back(seconds_of([&] { run_isolated(tasks, 2, options_with(60), kNobody, kNeverStop); }));
    ratios.push_back(workers.back() / threads.back());
  }
  std::printf("executions, workers / threads    %10.3f     (medians of 9: %.3f s / %.3f s, %zu executions, 2 jobs)\n",
              median_of(ratios), median_of(workers), median_of(threads), tasks.size());
}

void report_hang()
{
  constexpr double kTimeout = 0.5;
  const SpinningBackend backend;
  const std::vector<ExecutionTask> tasks{{parse_numerics_case("v3/seqlen=1,head_dim=64,heads=1/1"), &backend}};
  const double patience = patience_for(tasks[0].numerics, kTimeout);
  const double total = best_of(3, [&] { run_isolated(tasks, 1, options_with(kTimeout), kNobody, kNeverStop); });
  // Two attempts: each starts a worker, waits for its deadline, dumps it and kills it.
  std::printf("deadline to killed and replaced  %10.3f s\n", total / 2 - patience);
}

void report_store()
{
  constexpr int kExecutions = 40'000;
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "flashgate-isolation-bench";
  std::filesystem::create_directories(folder);
  ExecutionResult result = execute(parse_numerics_case("v3/direction=backward,seqlen=65"), ReferenceBackend());
  const double seconds = best_of(3, [&] {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    Store store = Store::open_or_create((folder / "results.db").string());
    RunRecord run;
    run.suite = "bench";
    store.insert_run(run);
    for (int n = 0; n < kExecutions;) {
      store.begin();
      for (const int end = n + 1000; n < end; ++n) {
        result.digest = std::to_string(n);
        store.insert_execution(run.id, result);
      }
      store.commit();
    }
  });
  std::filesystem::remove_all(folder);
  std::printf("metric rows into the store       %10.0f /s   (and %.0f execution rows/s with them)\n",
              static_cast<double>(kExecutions) * static_cast<double>(result.tensors.size()) / seconds,
              kExecutions / seconds);
}

}  // namespace
}  // namespace flashgate::matrix

int main(int argc, char** argv)
{
  using namespace flashgate;
  if (argc > 1) return matrix::serve_executions(std::atoi(argv[1]), matrix::make_bench_backend);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  sim::adopt_orphans();
  matrix::report_idle_cases();
  matrix::report_overhead();
  matrix::report_hang();
  matrix::report_store();
  return 0;
}
