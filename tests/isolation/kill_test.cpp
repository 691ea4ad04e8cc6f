// kill -9 at random moments: what was announced is in the database, resuming ends with the rows of an uninterrupted
// run, and no process is left.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "matrix/store.h"
#include "sim/process/child_process.h"
#include "sim/process/pipe.h"
#include "sim/process/process_tree.h"
#include "tests/isolation/stored_rows.h"
#include "tests/temporary_folder.h"

namespace flashgate::matrix {
namespace {

using namespace std::string_view_literals;
using Clock = std::chrono::steady_clock;

/// A run in a process of its own, and what it has announced.
class AnnouncedRun
{
 public:
  explicit AnnouncedRun(const std::string& database, const std::string& suite)
      : pipe_(sim::make_output_pipe()),
        child_({.argv = {FLASHGATE_ANNOUNCING_RUN, FLASHGATE_PROGRAM, FLASHGATE_SOURCE_DIR "/suites", suite, database},
                .environment = sim::our_environment(),
                .folder = {},
                .descriptors = {{pipe_.theirs.get(), STDOUT_FILENO}}})
  {
    pipe_.theirs.reset();
  }

  pid_t pid() const { return child_.pid(); }

  /// True if it ended by itself before `delay` was over; else it is killed. Only itself is: its workers have to see to
  /// their own end.
  bool finished_within(std::chrono::microseconds delay)
  {
    const auto deadline = Clock::now() + delay;
    for (auto left = delay; left.count() > 0 && !ended_;
         left = std::chrono::duration_cast<std::chrono::microseconds>(deadline - Clock::now()))
      read_for(left);
    if (!ended_) kill(child_.pid(), SIGKILL);
    while (!ended_)
      read_for(std::chrono::seconds(10));
    return !child_.wait(std::chrono::seconds(10))->by_signal;
  }

  int exit_code() { return child_.wait(std::chrono::seconds(0))->number; }

  /// By subject, how many cells it has announced last.
  std::map<std::string, std::int64_t> announced() const
  {
    std::map<std::string, std::int64_t> counts;
    std::istringstream lines(text_.substr(0, text_.rfind('\n') + 1));
    std::string subject;
    for (std::int64_t done = 0; lines >> subject >> done;)
      counts[subject] = std::max(counts[subject], done);
    return counts;
  }

 private:
  void read_for(std::chrono::microseconds patience)
  {
    pollfd output{pipe_.ours.get(), POLLIN, 0};
    const timespec time{patience.count() / 1'000'000, patience.count() % 1'000'000 * 1000};
    if (ppoll(&output, 1, &time, nullptr) <= 0) return;
    char buffer[4096];
    const ssize_t count = read(pipe_.ours.get(), buffer, sizeof buffer);
    if (count > 0) text_.append(buffer, static_cast<std::size_t>(count));
    ended_ = count == 0;
  }

  sim::FdPair pipe_;
  sim::ChildProcess child_;
  std::string text_;
  bool ended_ = false;
};

bool is_worker(pid_t pid, pid_t supervisor)
{
  std::string command;
  std::getline(std::ifstream(fmt::format("/proc/{}/cmdline", pid)), command);
  return command.find(fmt::format("worker\0{}\0"sv, supervisor)) != std::string::npos;
}

/// True once no worker of `supervisor` lives; false if one still does after two seconds.
bool workers_are_gone(pid_t supervisor)
{
  const auto deadline = Clock::now() + std::chrono::seconds(2);
  while (true) {
    if (std::ranges::none_of(sim::all_processes(), [&](const auto& row) { return is_worker(row.pid, supervisor); }))
      return true;
    if (Clock::now() > deadline) return false;
    poll(nullptr, 0, 5);
  }
}

/// Every announced cell of every subject, and every announced execution, is in the database.
void check_announced(const std::string& database, const std::map<std::string, std::int64_t>& announced)
{
  if (announced.empty()) return;
  Store store = Store::open_read_only(database);
  const std::int64_t run = store.find_run("")->id;
  std::map<std::string, std::int64_t> stored{{"executions", static_cast<std::int64_t>(store.executions(run).size())}};
  // The count that a subject's line tells is over all subjects so far.
  std::int64_t cells = 0;
  for (const SubjectRecord& subject : store.subjects(run))
    cells += static_cast<std::int64_t>(store.planned_cells(run, subject.id).size());
  for (const auto& [subject, done] : announced)
    CHECK(done <= (subject == "executions" ? stored.at("executions") : cells));
}

struct KillCounts
{
  int killed = 0, resumed_to_the_end = 0;
};

/// Runs and resumes until `kills` processes were killed and the last run came to its end.
KillCounts kill_at_random(const std::string& suite, int kills, const std::vector<std::string>& whole,
                          std::chrono::microseconds longest)
{
  std::mt19937 random(1396);
  std::uniform_int_distribution<std::int64_t> moments(0, longest.count());
  KillCounts counts;
  while (counts.killed < kills) {
    const tests::TemporaryFolder folder;
    const std::string database = folder.file("results.db");
    for (bool finished = false; !finished;) {
      // Enough of them: what is left now comes to its end.
      const bool spare = counts.killed >= kills;
      AnnouncedRun run(database, suite);
      finished = run.finished_within(std::chrono::microseconds(spare ? 600'000'000 : moments(random)));
      counts.killed += finished ? 0 : 1;
      check_announced(database, run.announced());
      CHECK(workers_are_gone(run.pid()));
      if (finished) CHECK(run.exit_code() == 0);
    }
    ++counts.resumed_to_the_end;
    CHECK(tests::stored_rows(database) == whole);
  }
  return counts;
}

}  // namespace

TEST_CASE("kill -9 at random moments loses nothing that was announced, and resuming ends as if nothing had been")
{
  const char* size = std::getenv("FLASHGATE_THOROUGH") != nullptr ? "smoke" : "tiny";
  const std::string suite = fmt::format("{}/tests/isolation/{}_executed.toml", FLASHGATE_SOURCE_DIR, size);
  const tests::TemporaryFolder folder;
  const std::string database = folder.file("whole.db");
  const auto started = Clock::now();
  AnnouncedRun whole(database, suite);
  REQUIRE(whole.finished_within(std::chrono::minutes(10)));
  REQUIRE(whole.exit_code() == 0);
  const auto longest = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started);
  CHECK_FALSE(whole.announced().empty());

  const KillCounts counts = kill_at_random(suite, 100, tests::stored_rows(database), longest);
  MESSAGE("suite " << std::string(size) << ": " << counts.killed << " kills, " << counts.resumed_to_the_end
                   << " runs resumed to their end, in " << std::chrono::duration<double>(Clock::now() - started).count()
                   << " s");
}

}  // namespace flashgate::matrix
