// The program itself in trouble: a disk that is full or can't be written, a database that is locked or shared, signals.
#include <csignal>
#include <fstream>

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include "matrix/store.h"
#include "sim/process/child_process.h"
#include "sim/process/command_output.h"
#include "tests/isolation/stored_rows.h"
#include "tests/temporary_folder.h"

namespace flashgate::matrix {
namespace {

constexpr const char* kTiny = FLASHGATE_SOURCE_DIR "/tests/isolation/tiny_executed.toml";

std::vector<std::string> run_arguments(const std::string& suite, const std::string& database)
{
  return {FLASHGATE_PROGRAM, "run", "--suites", FLASHGATE_SOURCE_DIR "/suites", "--suite", suite, "--jobs", "2", "--db",
          database};
}

sim::ChildSettings silently(const std::vector<std::string>& argv)
{
  sim::ChildSettings settings;
  settings.argv = argv;
  settings.environment = sim::our_environment();
  return settings;
}

/// `script` as a program, with the run's arguments as "$@", on a file system of its own at `folder`.
sim::CommandResult run_on_mount(const std::string& folder, const std::string& options,
                                const std::vector<std::string>& arguments)
{
  std::vector<std::string> argv{"unshare",
                                "--mount",
                                "sh",
                                "-c",
                                "mount -t tmpfs -o " + options + " none '" + folder + "' || exit 77; exec \"$@\" 2>&1",
                                "sh"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return sim::run_command(argv, "", {});
}

bool may_not_mount(const sim::CommandResult& result)
{
  if (result.status != 77 && result.first_error.find("unshare") == std::string::npos) return false;
  MESSAGE("skipped: this machine does not let us mount a file system");
  return true;
}

}  // namespace

TEST_CASE("a full disk ends the run with one line that says so")
{
  const tests::TemporaryFolder folder;
  const auto result = run_on_mount(folder.path(), "size=300k", run_arguments(kTiny, folder.file("results.db")));
  if (may_not_mount(result)) return;
  CHECK(result.status == 3);
  CAPTURE(result.output);
  CHECK(result.output.find("results.db: the disk is full") != std::string::npos);
}

TEST_CASE("an output that can't be written ends the run before it starts")
{
  const tests::TemporaryFolder folder;
  const auto result = run_on_mount(folder.path(), "ro", run_arguments(kTiny, folder.file("results.db")));
  if (may_not_mount(result)) return;
  CHECK(result.status == 3);
  CAPTURE(result.output);
  CHECK(result.output.find("results.db") != std::string::npos);
}

TEST_CASE("two runs on one database both come to their end, with equal rows")
{
  const tests::TemporaryFolder folder;
  const std::string database = folder.file("results.db");
  sim::ChildProcess first(silently(run_arguments(kTiny, database)));
  sim::ChildProcess second(silently(run_arguments(kTiny, database)));
  for (sim::ChildProcess* run : {&first, &second})
    CHECK(run->wait(std::chrono::minutes(2))->status() == 0);

  Store store = Store::open_read_only(database);
  REQUIRE(store.runs().size() == 2);
  const auto rows_of = [&](std::int64_t run) {
    std::vector<std::string> rows;
    for (const VerdictRow& row : store.verdict_rows(run))
      rows.push_back(std::to_string(row.subject) + ' ' + std::to_string(row.cell) + row.check_id + row.detail);
    for (const ExecutionRow& row : store.executions(run))
      rows.push_back(row.digest + std::string(verdict_name(row.verdict)) + std::to_string(row.cells));
    return rows;
  };
  CHECK(rows_of(1) == rows_of(2));
  CHECK_FALSE(rows_of(1).empty());
}

TEST_CASE("a database that another process has locked for a while is waited for")
{
  const tests::TemporaryFolder folder;
  const std::string database = folder.file("results.db");
  Store::open_or_create(database);
  SQLite::Database other(database, SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  sim::ChildProcess run(silently(run_arguments(kTiny, database)));
  CHECK_FALSE(run.wait(std::chrono::milliseconds(300)));
  other.exec("COMMIT");
  CHECK(run.wait(std::chrono::minutes(2))->status() == 0);
}

TEST_CASE("a first SIGINT or SIGTERM ends a run incomplete, with nothing left of it")
{
  for (const int signal : {SIGINT, SIGTERM}) {
    const tests::TemporaryFolder folder;
    const std::string database = folder.file("results.db");
    sim::ChildProcess run(silently(run_arguments("smoke", database)));
    while (!std::filesystem::exists(database) && !run.ending())
      usleep(1000);
    kill(run.pid(), signal);
    const auto ending = run.wait(std::chrono::seconds(30));
    REQUIRE(ending);
    CHECK(ending->status() == 2);
    CHECK(run.tree().empty());
    CHECK(Store::open_read_only(database).runs().back().finished.empty());
  }
}

}  // namespace flashgate::matrix
