#include "matrix/runner.h"

#include <fstream>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/temporary_folder.h"

namespace flashgate::matrix {
namespace {

constexpr const char* kSuites = FLASHGATE_SOURCE_DIR "/suites";
const std::atomic<bool> kNeverStop = false;

RunOptions tiny_options(const tests::TemporaryFolder& folder)
{
  RunOptions options;
  options.suites_folder = kSuites;
  options.suite = "tiny";
  options.database = folder.file("results.db");
  options.jobs = 2;
  return options;
}

RunResult run(const RunOptions& options, const std::atomic<bool>& stop = kNeverStop)
{
  return run_suite(
      options, [](const Progress&) {}, stop);
}

/// Everything a run stored that must not depend on when or how it ran.
std::vector<std::string> rows_of(const std::string& database, const std::string& run_name)
{
  Store store = Store::open_read_only(database);
  const RunRecord record = *store.find_run(run_name);
  std::vector<std::string> rows;
  for (const SubjectRecord& subject : store.subjects(record.id)) {
    for (const StoredCell& cell : store.planned_cells(record.id, subject.id))
      rows.push_back(subject.name + " " + cell_name(cell.cell) + " " + std::to_string(cell.passed_checks));
    for (const RouteRow& route : store.routes(record.id, subject.id))
      rows.push_back(subject.name + " route " + route.end + " " + std::to_string(route.plans) + route.example_cell);
  }
  for (const VerdictRow& row : store.verdict_rows(record.id))
    rows.push_back(std::to_string(row.subject) + " " + std::to_string(row.cell) + row.check_id +
                   std::string(verdict_name(row.verdict)) + std::string(outcome_name(row.outcome)) + row.detail);
  for (const IncidentRow& row : store.incidents(record.id))
    rows.push_back(row.kind + row.detail);
  return rows;
}

TEST_CASE("a run stores every selected cell of every subject, and equal runs store equal rows")
{
  const tests::TemporaryFolder first, second;
  const RunResult result = run(tiny_options(first));
  RunOptions serial = tiny_options(second);
  serial.jobs = 1;
  run(serial);
  CHECK(result.progress.done == result.progress.total);
  CHECK(result.run.selected == result.progress.total);
  const auto rows = rows_of(first.file("results.db"), "");
  CHECK(rows.size() > 300);
  CHECK(rows == rows_of(second.file("results.db"), ""));
}

TEST_CASE("without expectations the fleet models fail and the clean control does not")
{
  const tests::TemporaryFolder folder;
  RunOptions options = tiny_options(folder);
  options.with_expectations = false;
  CHECK(run(options).exit_code == ExitCode::failures);
  options.subjects = {"model:fleet-d"};
  CHECK(run(options).exit_code == ExitCode::failures);
  options.subjects = {"model:effective-first"};
  CHECK(run(options).exit_code == ExitCode::as_expected);
}

TEST_CASE("with its expectations suite tiny ends as expected")
{
  const tests::TemporaryFolder folder;
  CHECK(run(tiny_options(folder)).exit_code == ExitCode::as_expected);
}

TEST_CASE("an expectation that is missing, or one too many, fails the run")
{
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("one.toml"))
      << "description = \"one cell\"\n[[select]]\nkind = \"cells\"\ncells = [\n"
         "\"rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192\",\n"
         "\"rr_flashmask\"]\n";
  RunOptions options = tiny_options(folder);
  options.suites_folder = folder.path().string();
  options.suite = "one";
  options.subjects = {"model:fleet-d"};
  const auto exit_code_with = [&](const char* lines) {
    std::ofstream(folder.file("one-fails.txt")) << lines;
    return run(options).exit_code;
  };
  const char* right = "subject=model:fleet-d check=I4 flag_version=4 deterministic=on | seed bug 1 | me | never\n";
  CHECK(exit_code_with("") == ExitCode::failures);
  CHECK(exit_code_with(right) == ExitCode::as_expected);
  CHECK(exit_code_with("subject=model:fleet-d check=I4 | too wide | me | never\n") == ExitCode::failures);
  CHECK(exit_code_with("subject=model:fleet-c check=I4 | of another subject | me | never\n") == ExitCode::failures);
  CHECK(exit_code_with((std::string(right) + "check=I4 device=xpu | of no selected cell | me | never\n").c_str()) ==
        ExitCode::as_expected);
}

TEST_CASE("a run that selects nothing ran nothing and touches no database")
{
  const tests::TemporaryFolder folder;
  RunOptions options = tiny_options(folder);
  options.include = "no cell is called this";
  CHECK(run(options).exit_code == ExitCode::nothing_ran);
  CHECK_FALSE(std::filesystem::exists(options.database));
}

TEST_CASE("a stopped run is incomplete, and resuming it ends with the rows of an uninterrupted one")
{
  const tests::TemporaryFolder stopped, whole;
  RunOptions options = tiny_options(stopped);
  options.suite = "smoke";
  std::atomic<bool> stop = false;
  const RunResult first = run_suite(
      options, [&](const Progress&) { stop = true; }, stop);
  CHECK(first.exit_code == ExitCode::incomplete);
  CHECK(first.progress.done < first.progress.total);

  options.resume = true;
  const RunResult second = run(options);
  CHECK(second.resumed);
  CHECK(second.run.id == first.run.id);
  CHECK(second.exit_code == ExitCode::as_expected);

  RunOptions uninterrupted = options;
  uninterrupted.database = whole.file("results.db");
  CHECK_FALSE(run(uninterrupted).resumed);  // there is none to resume, so it starts one
  CHECK(rows_of(options.database, "") == rows_of(uninterrupted.database, ""));

  const RunResult third = run(options);  // complete: nothing changes
  CHECK(third.run.id == first.run.id);
  CHECK(third.exit_code == ExitCode::as_expected);
  CHECK(Store::open_read_only(options.database).runs().size() == 1);
}

TEST_CASE("resuming with another selection is refused")
{
  const tests::TemporaryFolder folder;
  RunOptions options = tiny_options(folder);
  run(options);
  options.resume = true;
  options.subjects = {"model:fleet-d"};
  CHECK_THROWS_AS(run(options), Error);
}

TEST_CASE("a second run is appended, and shards are disjoint and complete")
{
  const tests::TemporaryFolder folder;
  RunOptions options = tiny_options(folder);
  std::int64_t cells = 0;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    options.shard = shard;
    cells += run(options).progress.total;
  }
  options.shard.clear();
  const RunResult whole = run(options);
  CHECK(cells == whole.progress.total);
  CHECK(whole.run.name == "tiny-4");
}

TEST_CASE("bad input is one line that says what was expected, and leaves no database")
{
  struct Row
  {
    const char* what;
    std::function<void(RunOptions&)> spoil;
    const char* says;
  };
  const Row rows[] = {
      {"unknown suite", [](RunOptions& o) { o.suite = "nosuch"; }, "nosuch"},
      {"unknown subject", [](RunOptions& o) { o.subjects = {"model:fleet-z"}; }, "or one of model:fleet-h0"},
      {"subject twice",
       [](RunOptions& o) {
         o.subjects = {"model:fleet-d", "model:fleet-d"};
       },
       "given twice"},
      {"bad expression", [](RunOptions& o) { o.include = "("; }, "("},
      {"bad shard", [](RunOptions& o) { o.shard = "4/3"; }, "4/3"},
      {"folder missing", [](RunOptions& o) { o.database = "/nosuch/folder/results.db"; }, "/nosuch/folder/results.db"},
  };
  for (const Row& row : rows) {
    const tests::TemporaryFolder folder;
    RunOptions options = tiny_options(folder);
    row.spoil(options);
    CAPTURE(row.what);
    std::string message;
    try {
      run(options);
    } catch (const Error& error) {
      message = error.what();
    }
    CHECK(message.find(row.says) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.file("results.db")));
  }
}

}  // namespace
}  // namespace flashgate::matrix
