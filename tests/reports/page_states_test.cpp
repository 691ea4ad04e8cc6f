// What the page of a run says that is not simply whole: unfinished, without executions, a shard, merged, migrated, a
// watched command's. Each must be seen at once, and none may look like a pass that it is not.
#include <atomic>

#include <doctest/doctest.h>

#include "example_run.h"
#include "matrix/runner.h"
#include "matrix/store_history.h"
#include "matrix/store_merge.h"
#include "reports/report.h"
#include "tests/matrix/older_schema.h"
#include "tests/temporary_folder.h"

namespace flashgate::reports {
namespace {

using tests::TemporaryFolder;

matrix::RunOptions options_of(const std::string& database)
{
  matrix::RunOptions options;
  options.suites_folder = FLASHGATE_SOURCE_DIR "/suites";
  options.suite = "tiny";
  options.subjects = {"model:effective-first"};
  options.database = database;
  options.command_line = "flashgate run --suite tiny";
  options.jobs = 1;
  return options;
}

void run(const matrix::RunOptions& options, std::int64_t stop_after = -1)
{
  std::atomic<bool> stop = stop_after == 0;
  matrix::run_suite(
      options,
      [&](const matrix::Progress& progress) {
        if (stop_after >= 0 && progress.done >= stop_after) stop = true;
      },
      stop);
}

void make_whole(const TemporaryFolder&, const std::string& database) { run(options_of(database)); }

void make_unfinished(const TemporaryFolder&, const std::string& database)
{
  matrix::RunOptions options = options_of(database);
  options.subjects = {"model:effective-first", "model:fleet-d"};
  run(options, 1);
}

void make_unstarted(const TemporaryFolder&, const std::string& database) { run(options_of(database), 0); }

void make_shard(const TemporaryFolder&, const std::string& database)
{
  matrix::RunOptions options = options_of(database);
  options.shard = "1/2";
  run(options);
}

std::string shard_of(const TemporaryFolder& folder, const std::string& shard)
{
  matrix::RunOptions options = options_of(folder.file("shard" + shard.substr(0, 1) + ".db"));
  options.shard = shard;
  options.command_line += " --shard " + shard;
  run(options);
  return options.database;
}

void make_merged(const TemporaryFolder& folder, const std::string& database)
{
  matrix::merge_parts(database, {shard_of(folder, "1/2"), shard_of(folder, "2/2")});
}

void make_half_merged(const TemporaryFolder& folder, const std::string& database)
{
  matrix::merge_parts(database, {shard_of(folder, "1/2")});
}

void make_migrated(const TemporaryFolder&, const std::string& database)
{
  run(options_of(database));
  tests::take_back(database, 1);
  matrix::migrate_database(database);
}

void make_watched(const TemporaryFolder&, const std::string& database)
{
  matrix::Store store = matrix::Store::open_or_create(database);
  matrix::RunRecord run;
  run.suite = "watch";
  run.with_expectations = false;
  run.started = "2026-01-02T03:04:05Z";
  run.selected = 1;
  const std::int64_t cell = store.intern_tests({"test_a.py::test_one"}).front();
  store.insert_run(run);
  store.insert_verdict(run.id, {store.intern_subject("watch:pytest", "pytest"), cell, "watch", matrix::Verdict::hang,
                                matrix::Outcome::as_is, "no output for 5 s"});
  store.finish_run(run.id, "2026-01-02T03:04:09Z", 1);
}

struct State
{
  std::string name;
  void (*make)(const TemporaryFolder& folder, const std::string& database);
  std::vector<std::string> says;
  std::vector<std::string> never_says;
};

const State kStates[] = {
    {"whole",
     make_whole,
     {"<h1>OK: no unexpected failure", "1 subject x 52 cells", "No kernel was executed in this run"},
     {"INCOMPLETE", "continue with", "shard"}},
    {"unfinished",
     make_unfinished,
     {"<h1>INCOMPLETE: ", " of 104 cells judged; ", "continue with: flashgate run --suite tiny --resume",
      "not yet: the run is incomplete"},
     {">OK: "}},
    {"stopped before its first cell",
     make_unstarted,
     {"<h1>INCOMPLETE: 0 of 52 cells judged; ", "No check had anything to judge.",
      "continue with: flashgate run --suite tiny --resume"},
     {">OK: "}},
    {"a shard", make_shard, {"<h1>OK: ", ", shard 1/2 alone"}, {"INCOMPLETE", "merged from"}},
    {"merged",
     make_merged,
     {"<h1>OK: ", "1 subject x 52 cells, merged from 2 of 2 shards", "<td>1/2</td>", "<td>2/2</td>",
      "<code>flashgate run --suite tiny --shard 2/2</code>"},
     {"INCOMPLETE", "alone"}},
    {"merged from one of two",
     make_half_merged,
     {"<h1>INCOMPLETE: 1 of 2 shards merged; ", "finish the other shards, then merge again", "<td>1/2</td>"},
     {">OK: ", "--resume"}},
    {"migrated", make_migrated, {"<h1>OK: no unexpected failure", "1 subject x 52 cells"}, {"INCOMPLETE"}},
    {"a watched command",
     make_watched,
     {"<h1>FAILED: 1 failure in 1 class", "watch:pytest", "<code>test:test_a.py::test_one</code>",
      "The run has no cells of a dispatcher."},
     {"<th scope=\"row\">/</th>"}},
};

TEST_CASE("the page of a run says what state the run is in")
{
  for (const State& state : kStates) {
    CAPTURE(state.name);
    const TemporaryFolder folder;
    state.make(folder, folder.file("results.db"));
    matrix::Store store = matrix::Store::open_read_only(folder.file("results.db"));
    write_report(store, store.find_run("").value(), folder.file("report"));
    const std::string page = tests::read_file(folder.file("report/index.html"));
    for (const std::string& text : state.says) {
      CAPTURE(text);
      CHECK(page.find(text) != std::string::npos);
    }
    for (const std::string& text : state.never_says) {
      CAPTURE(text);
      CHECK(page.find(text) == std::string::npos);
    }
  }
}

TEST_CASE("a database without a run has nothing to report")
{
  const TemporaryFolder folder;
  matrix::Store store = matrix::Store::open_or_create(folder.file("results.db"));
  CHECK_FALSE(store.find_run(""));
}

}  // namespace
}  // namespace flashgate::reports
