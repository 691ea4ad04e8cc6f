// Workers that break in every way there is: the right verdict for the right case, the others as if nothing had been,
// and no process left.
#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <doctest/doctest.h>
#include <unistd.h>

#include "matrix/isolation/execution_message.h"
#include "matrix/isolation/isolated_runner.h"
#include "reference/error.h"
#include "sim/process/child_process.h"
#include "sim/process/process_tree.h"
#include "tests/isolation/saboteur_backend.h"
#include "tests/temporary_folder.h"

namespace flashgate::matrix {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTimeout = 1;     // of workers that are to be found by their deadline
constexpr double kNoTimeout = 60;  // of all others, which a loaded machine may keep waiting
constexpr std::size_t kVictim = 3;
const StopRequest kNeverStop = [] { return false; };

IsolationOptions options_in(const tests::TemporaryFolder& folder)
{
  IsolationOptions options;
  options.program = {FLASHGATE_SABOTEUR_WORKER};
  options.logs = folder.file("logs");
  options.timeout_seconds = kNoTimeout;
  options.memory_mib = 256;
  return options;
}

/// Cheap cases; the one in the middle is the victim.
std::vector<ExecutionTask> tasks_on(const Backend& backend)
{
  std::vector<ExecutionTask> tasks;
  for (const char* seqlen : {"1", "63", "64", "65", "1", "63", "64", "65"})
    tasks.push_back(
        {parse_numerics_case(std::string(tasks.size() < 4 ? "v3" : "v2") + "/head_dim=64,heads=1/1,seqlen=" + seqlen),
         &backend});
  tasks[kVictim].numerics.seed = kVictimSeed;
  return tasks;
}

/// All of a result but the time it took.
std::string essence(ExecutionResult result)
{
  result.seconds = 0;
  return to_payload(0, result);
}

/// Processes that descend from this one, those that nobody waited for included.
std::size_t descendants()
{
  std::size_t count = 0;
  for (const sim::ProcessRow& row : sim::all_processes())
    count += row.parent == getpid() ? 1 : 0;
  return count;
}

struct Outcomes
{
  std::vector<ExecutionResult> results;
  double seconds = 0;
};

Outcomes run_all(const std::vector<ExecutionTask>& tasks, const IsolationOptions& options, int jobs)
{
  Outcomes outcomes;
  const auto started = Clock::now();
  const auto listener = [&](std::size_t, ExecutionResult&& result) { outcomes.results.push_back(std::move(result)); };
  run_isolated(tasks, jobs, options, listener, kNeverStop);
  outcomes.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  return outcomes;
}

void check_victim(const Sabotage& sabotage, const ExecutionResult& result)
{
  CHECK(result.verdict == sabotage.verdict);
  if (sabotage.verdict == Verdict::pass) return;
  const ExecutionFinding* finding = result.worst_finding();
  REQUIRE(finding != nullptr);
  CHECK(finding->check_id == sabotage.check);
  CHECK(finding->outcome == sabotage.outcome);
  CAPTURE(finding->detail);
  CHECK(finding->detail.find(sabotage.says) != std::string::npos);
  REQUIRE_FALSE(result.incidents.empty());
  CAPTURE(result.incidents.front().detail);
  CHECK(result.incidents.front().check_id == sabotage.check);
  CHECK(result.incidents.front().detail.find(sabotage.scene) != std::string::npos);
}

void check_others(const std::vector<ExecutionTask>& tasks, const std::vector<ExecutionResult>& results)
{
  for (std::size_t n = 0; n < tasks.size(); ++n)
    if (n != kVictim) CHECK(essence(results[n]) == essence(execute(tasks[n].numerics, *tasks[n].backend)));
}

}  // namespace

TEST_CASE("a worker that breaks costs one case its verdict, nobody else, and leaves no process")
{
  sim::adopt_orphans();
  const bool thorough = std::getenv("FLASHGATE_THOROUGH") != nullptr;
  for (const Sabotage& sabotage : sabotages()) {
    CAPTURE(std::string(sabotage.what));
    const tests::TemporaryFolder folder;
    setenv(kOnceVariable, folder.file("once").c_str(), 1);
    const SaboteurBackend backend(sabotage);
    const std::vector<ExecutionTask> tasks = tasks_on(backend);
    IsolationOptions options = options_in(folder);
    if (sabotage.by_deadline) options.timeout_seconds = kTimeout;
    if (sabotage.verdict == Verdict::timeout) options.total_factor = 1;
    const Outcomes outcomes = run_all(tasks, options, 2);

    REQUIRE(outcomes.results.size() == tasks.size());
    check_victim(sabotage, outcomes.results[kVictim]);
    check_others(tasks, outcomes.results);
    CHECK(descendants() == 0);
    const bool has_log = std::filesystem::exists(options.logs);
    CHECK(has_log == (sabotage.verdict != Verdict::pass && sabotage.name != "deadlock"));
    MESSAGE(sabotage.name << ": " << verdict_name(outcomes.results[kVictim].verdict) << " in " << outcomes.seconds
                          << " s");
    if (thorough) CHECK(outcomes.seconds < kTimeout + 2);
  }
}

TEST_CASE("a deadlock is named without waiting for a deadline")
{
  const tests::TemporaryFolder folder;
  const auto deadlock = std::ranges::find(sabotages(), "deadlock", &Sabotage::name);
  const SaboteurBackend backend(*deadlock);
  IsolationOptions options = options_in(folder);
  options.timeout_seconds = 3600;  // were it waited for, this test would not end
  const Outcomes outcomes = run_all(tasks_on(backend), options, 1);
  CHECK(outcomes.results[kVictim].verdict == Verdict::hang);
}

TEST_CASE(
    "cases that only waited in a broken worker are not blamed, and workers are replaced after their share of cases")
{
  const tests::TemporaryFolder folder;
  const auto exits = std::ranges::find(sabotages(), "exit", &Sabotage::name);
  const SaboteurBackend backend(*exits);
  std::vector<ExecutionTask> tasks;
  for (int n = 0; n < 100; ++n) {
    tasks.push_back({parse_numerics_case("v3/head_dim=64,heads=1/1,seqlen=1"), &backend});
    tasks.back().numerics.seed = n == 40 ? kVictimSeed : static_cast<std::uint32_t>(n + 1);
  }
  for (const std::int64_t share : {1000, 7}) {
    IsolationOptions options = options_in(folder);
    options.cases_per_worker = share;
    const Outcomes outcomes = run_all(tasks, options, 1);
    REQUIRE(outcomes.results.size() == tasks.size());
    for (std::size_t n = 0; n < tasks.size(); ++n)
      CHECK((outcomes.results[n].verdict == Verdict::crash) == (n == 40));
  }
}

TEST_CASE("a program that is no worker is an error of one line, and no verdict")
{
  const tests::TemporaryFolder folder;
  const SaboteurBackend backend(sabotages().front());
  for (const char* program : {"/bin/true", "/no/such/program"}) {
    IsolationOptions options = options_in(folder);
    options.program = {program};
    CHECK_THROWS_AS(run_all(tasks_on(backend), options, 2), Error);
  }
}

TEST_CASE("being told to stop ends it with what has been handed out, whatever workers do")
{
  const tests::TemporaryFolder folder;
  const auto spins = std::ranges::find(sabotages(), "spin", &Sabotage::name);
  const SaboteurBackend backend(*spins);
  IsolationOptions options = options_in(folder);
  options.timeout_seconds = 3600;
  std::size_t handed_out = 0;
  const auto listener = [&](std::size_t, ExecutionResult&&) { ++handed_out; };
  const auto stop = [&] { return handed_out == kVictim; };
  CHECK(run_isolated(tasks_on(backend), 2, options, listener, stop) == kVictim);
  CHECK(descendants() == 0);
}

}  // namespace flashgate::matrix
