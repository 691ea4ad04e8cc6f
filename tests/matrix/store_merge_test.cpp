// Shards of a run, put together again.
#include "matrix/store_merge.h"

#include <filesystem>
#include <numeric>

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "matrix/cell_filter.h"
#include "matrix/runner.h"
#include "matrix/shard_plan.h"
#include "matrix/store_history.h"
#include "older_schema.h"
#include "reference/error.h"
#include "tests/temporary_folder.h"

namespace flashgate::matrix {
namespace {

const std::atomic<bool> kNeverStop = false;

RunOptions tiny(const std::string& database, const std::string& shard = "")
{
  RunOptions options;
  options.suites_folder = FLASHGATE_SOURCE_DIR "/suites";
  options.suite = "tiny";
  options.subjects = {"model:fleet-d", "model:effective-first"};
  options.database = database;
  options.shard = shard;
  options.jobs = 1;
  return options;
}

RunResult run(const RunOptions& options)
{
  return run_suite(
      options, [](const Progress&) {}, kNeverStop);
}

/// Rows of a query, columns between bars.
std::vector<std::string> rows(const std::string& file, const std::string& query)
{
  SQLite::Database database(file);
  SQLite::Statement select(database, query);
  std::vector<std::string> texts;
  while (select.executeStep()) {
    std::string text;
    for (int i = 0; i < select.getColumnCount(); ++i)
      text += select.getColumn(i).getString() + "|";
    texts.push_back(text);
  }
  return texts;
}

/// All that a run says, without ids and times.
std::vector<std::string> content(const std::string& file)
{
  std::vector<std::string> all;
  for (const char* query :
       {"SELECT subject, cell, check_id, verdict, outcome, detail FROM verdicts ORDER BY 1, 2, 3",
        "SELECT * FROM matrix ORDER BY run, subject, cell", "SELECT * FROM excluded ORDER BY 1, 2",
        "SELECT subject.name, cell.name, kind, detail FROM incident JOIN subject ON subject.id = subject JOIN cell ON "
        "cell.id = cell ORDER BY 1, 2, 3, 4",
        "SELECT file, line, status, matched, failing FROM expectation_use ORDER BY 1, 2",
        "SELECT * FROM trace_step ORDER BY 1, 2", "SELECT name, suite, seed, selected, exit_code FROM run"})
    for (std::string& row : rows(file, query))
      all.push_back(std::move(row));
  return all;
}

std::vector<std::string> run_shards(const tests::TemporaryFolder& folder, int count)
{
  std::vector<std::string> files;
  for (int i = 1; i <= count; ++i) {
    files.push_back(folder.file("shard-" + std::to_string(i) + ".db"));
    run(tiny(files.back(), std::to_string(i) + "/" + std::to_string(count)));
  }
  return files;
}

std::string refusal(const std::string& output, const std::vector<std::string>& inputs)
{
  try {
    merge_parts(output, inputs);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("three shards merge into what one run says, and merging again changes nothing")
{
  const tests::TemporaryFolder folder;
  const RunResult whole = run(tiny(folder.file("whole.db")));
  const std::vector<std::string> files = run_shards(folder, 3);
  const std::string merged = folder.file("merged.db");

  const MergeResult first = merge_parts(merged, {files[0], files[1]});
  CHECK(first.added == std::vector<std::string>{"1/3", "2/3"});
  CHECK(first.missing == std::vector<std::string>{"3/3"});
  CHECK(first.exit_code == 2);
  const MergeResult second = merge_parts(merged, files);
  CHECK(second.added == std::vector<std::string>{"3/3"});
  CHECK(second.missing.empty());
  CHECK(second.exit_code == static_cast<int>(whole.exit_code));
  CHECK(content(merged) == content(folder.file("whole.db")));
  CHECK(content(merged).size() > 300);

  const auto before = rows(merged, "SELECT * FROM run_part");
  const MergeResult again = merge_parts(merged, files);
  CHECK(again.added.empty());
  CHECK(again.present.size() == 3);
  CHECK(content(merged) == content(folder.file("whole.db")));
  CHECK(rows(merged, "SELECT * FROM run_part") == before);
  CHECK(rows(merged, "SELECT shard, started IS NOT NULL, finished IS NOT NULL, machine <> '', exit_code FROM run_part")
            .size() == 3);
}

TEST_CASE("shards with executions merge into what one run says")
{
  const tests::TemporaryFolder folder;
  const auto run_executed = [&](const std::string& name, const std::string& shard) {
    RunOptions options = tiny(folder.file(name), shard);
    options.suite = FLASHGATE_SOURCE_DIR "/tests/isolation/tiny_executed.toml";
    run(options);
    return options.database;
  };
  const auto executions = [](const std::string& file) {
    std::vector<std::string> all = content(file);
    for (const char* query :
         {"SELECT digest, name, backend, verdict, detail, runs FROM execution ORDER BY 1",
          "SELECT digest, tensor, max_abs, bound_ratio FROM metric JOIN execution ON id = execution ORDER BY 1, 2",
          "SELECT digest, position, f.verdict FROM execution_finding AS f JOIN execution ON id = execution ORDER BY 1, "
          "2",
          "SELECT s.name, c.name, digest FROM cell_execution AS x JOIN subject AS s ON s.id = subject "
          "JOIN cell AS c ON c.id = cell JOIN execution AS e ON e.id = execution ORDER BY 1, 2, 3",
          "SELECT s.name, r.description FROM run_subject AS r JOIN subject AS s ON s.id = subject ORDER BY 1"})
      for (std::string& row : rows(file, query))
        all.push_back(std::move(row));
    return all;
  };
  const std::string whole = run_executed("whole.db", "");
  const std::vector<std::string> files{run_executed("1.db", "1/2"), run_executed("2.db", "2/2")};
  const std::string merged = folder.file("merged.db");
  merge_parts(merged, files);
  CHECK(executions(merged) == executions(whole));
  CHECK(rows(whole, "SELECT digest FROM execution").size() > 5);
  CHECK(rows(files[0], "SELECT digest FROM execution").size() < rows(whole, "SELECT digest FROM execution").size());
}

TEST_CASE("a merge reads what is still in a shard's write-ahead log, and leaves the shard alone")
{
  const tests::TemporaryFolder folder;
  const std::vector<std::string> files = run_shards(folder, 2);
  SQLite::Database open(files[0], SQLite::OPEN_READWRITE);
  open.exec("PRAGMA wal_autocheckpoint = 0; UPDATE run SET machine = 'in the log'");
  REQUIRE(std::filesystem::file_size(files[0] + "-wal") > 0);
  merge_parts(folder.file("merged.db"), files);
  CHECK(rows(folder.file("merged.db"), "SELECT machine FROM run_part WHERE shard = '1/2'") ==
        std::vector<std::string>{"in the log|"});
  CHECK(rows(files[1], "SELECT count(*) FROM run") == std::vector<std::string>{"1|"});
}

TEST_CASE("a shard that is not finished is missing until it was resumed")
{
  const tests::TemporaryFolder folder;
  const std::vector<std::string> files = run_shards(folder, 2);
  SQLite::Database(files[1], SQLite::OPEN_READWRITE).exec("UPDATE run SET finished = NULL, exit_code = NULL");
  const MergeResult partial = merge_parts(folder.file("merged.db"), files);
  CHECK(partial.exit_code == 2);
  REQUIRE(partial.missing.size() == 1);
  CHECK(partial.missing[0].find("not finished, continue it with --resume") != std::string::npos);

  RunOptions resumed = tiny(files[1], "2/2");
  resumed.resume = true;
  SQLite::Database(files[1], SQLite::OPEN_READWRITE).exec("DELETE FROM expectation_use");
  run(resumed);
  CHECK(merge_parts(folder.file("merged.db"), files).missing.empty());
}

TEST_CASE("what does not belong together is refused by one line, and the output stays as it was")
{
  const tests::TemporaryFolder folder;
  const std::vector<std::string> files = run_shards(folder, 2);
  run(tiny(folder.file("whole.db")));
  RunOptions other = tiny(folder.file("seed.db"), "2/2");
  other.seed = 7;
  run(other);
  run(tiny(folder.file("thirds.db"), "2/3"));
  other = tiny(folder.file("fewer.db"), "2/2");
  other.subjects = {"model:fleet-d"};
  run(other);
  run(tiny(folder.file("again.db"), "2/2"));
  std::filesystem::copy_file(files[1], folder.file("commit.db"));
  SQLite::Database(folder.file("commit.db"), SQLite::OPEN_READWRITE).exec("UPDATE run SET flashgate_commit = 'abc'");
  std::filesystem::copy_file(files[1], folder.file("schema.db"));
  SQLite::Database(folder.file("schema.db"), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 1");

  struct Row
  {
    const char* file;
    const char* why;
  };
  for (const Row& row : {Row{"whole.db", "is no part, expected one made with --shard"}, Row{"seed.db", "seed 7"},
                         Row{"thirds.db", "number of shards 3"}, Row{"fewer.db", "selection of cells and subjects"},
                         Row{"commit.db", "flashgate of commit abc"}, Row{"schema.db", "schema version 1"},
                         Row{"nosuch.db", "no such file"}}) {
    CAPTURE(row.file);
    const std::string why = refusal(folder.file("merged.db"), {files[0], folder.file(row.file)});
    CHECK_MESSAGE(why.find(row.why) != std::string::npos, why);
    CHECK(why.find(row.file) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.file("merged.db")));
  }
  CHECK(refusal(folder.file("merged.db"), {files[1], folder.file("again.db")}).find("has too") != std::string::npos);
  CHECK(refusal(files[0], {files[1]}).find("has shard 1/2 itself") != std::string::npos);
  CHECK(refusal(files[0], {files[0], files[1]}).find("is the output and an input") != std::string::npos);
}

TEST_CASE("shards by recorded times are even, complete, and the same whatever is filtered")
{
  const tests::TemporaryFolder folder;
  RunOptions options = tiny(folder.file("whole.db"));
  run(options);
  Store store = Store::open_read_only(folder.file("whole.db"));
  std::vector<Cell> cells;
  for (const StoredCell& stored : store.planned_cells(1, 1))
    cells.push_back(stored.cell);
  CellSeconds seconds;
  double total = 0;
  for (std::size_t i = 0; i < cells.size(); i += 2)
    total += seconds[cell_name(cells[i])] = 1.0 / static_cast<double>(i + 1);
  const std::vector<int> shards = plan_shards(cells, seconds, 3);
  std::vector<double> load(3);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    REQUIRE(shards[i] >= 1);
    REQUIRE(shards[i] <= 3);
    load[static_cast<std::size_t>(shards[i] - 1)] += i % 2 == 0 ? seconds.at(cell_name(cells[i])) : 0;
    if (i % 2 == 1) CHECK(shards[i] == hashed_shard(cell_name(cells[i]), 3));
  }
  CHECK(std::accumulate(load.begin(), load.end(), 0.0) == doctest::Approx(total));
  CHECK(*std::ranges::max_element(load) <= total / 3 + 1.0);
  CHECK(plan_shards(cells, {}, 3) != shards);
  CHECK_THROWS_AS(recorded_seconds(folder.file("whole.db"), "nosuch"), Error);
}

TEST_CASE("a database of any older schema is named as such, and migrated into a new file beside the old one")
{
  const tests::TemporaryFolder folder;
  const std::string whole = folder.file("whole.db");
  RunOptions options = tiny(whole);
  options.suite = FLASHGATE_SOURCE_DIR "/tests/isolation/tiny_executed.toml";
  run(options);
  const std::vector<std::string> before = content(whole);
  for (int version = 1; version < kSchemaVersion; ++version) {
    CAPTURE(version);
    const std::string file = folder.file(fmt::format("from_{}.db", version));
    std::filesystem::copy_file(whole, file);
    tests::take_back(file, version);
    CHECK_THROWS_WITH_AS(Store::open_read_only(file), doctest::Contains("`flashgate migrate` brings it there"), Error);
    const Migration migration = migrate_database(file);
    CHECK(migration.from == version);
    REQUIRE(migration.kept == fmt::format("{}.v{}", file, version));
    CHECK(rows(migration.kept, "PRAGMA user_version") == std::vector<std::string>{fmt::format("{}|", version)});
    CHECK(content(file) == before);
    CHECK(rows(file, "SELECT count(*) FROM run_subject") == std::vector<std::string>{"2|"});
    CHECK(rows(file, "SELECT name FROM sqlite_master ORDER BY 1") ==
          rows(whole, "SELECT name FROM sqlite_master ORDER BY 1"));
    CHECK(migrate_database(file).kept.empty());
    CHECK_FALSE(std::filesystem::exists(file + ".migrating"));
  }
}

TEST_CASE("what older rows say of findings is filled in, so that a resumed run judges no failing execution as passed")
{
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("results.db");
  RunOptions options = tiny(file);
  options.suite = FLASHGATE_SOURCE_DIR "/tests/isolation/tiny_executed.toml";
  run(options);
  SQLite::Database(file, SQLite::OPEN_READWRITE)
      .exec("UPDATE execution SET verdict = 'fail', check_id = 'numerics', detail = 'off' WHERE id = 1");
  tests::take_back(file, 4);
  migrate_database(file);
  CHECK(rows(file, "SELECT check_id, verdict, outcome, detail FROM execution_finding WHERE execution = 1") ==
        std::vector<std::string>{"numerics|fail|as_is|off|"});
}

TEST_CASE("a shard's part survives a migration")
{
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("results.db");
  run(tiny(file, "1/1"));
  SQLite::Database(file, SQLite::OPEN_READWRITE)
      .exec("PRAGMA user_version = 5");  // a shard's file had the table before
  migrate_database(file);
  CHECK(rows(file, "SELECT shard FROM run_part") == std::vector<std::string>{"1/1|"});
}

TEST_CASE("what can't be migrated is left as it is")
{
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("results.db");
  run(tiny(file));
  const auto try_with = [&](const std::string& change, const std::string& why) {
    CAPTURE(change);
    SQLite::Database(file, SQLite::OPEN_READWRITE).exec(change);
    CHECK_THROWS_WITH_AS(migrate_database(file), doctest::Contains(why.c_str()), Error);
    CHECK(rows(file, "SELECT count(*) FROM run") == std::vector<std::string>{"1|"});
    CHECK_FALSE(std::filesystem::exists(file + ".migrating"));
  };
  try_with("PRAGMA user_version = 99", "schema version 99");
  try_with("PRAGMA user_version = 1; ALTER TABLE run RENAME COLUMN seed TO sed", "has no column seed");
  try_with("PRAGMA application_id = 1", "another program");
  CHECK_THROWS_WITH_AS(migrate_database(folder.file("none.db")), doctest::Contains("no such file"), Error);
}

TEST_CASE("pruning keeps the last runs of each suite whole, and gives the space back")
{
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("results.db"), one = folder.file("one.db");
  RunOptions options = tiny(file);
  run(options);
  options.include = "^rr_";
  run(options);
  options.include.clear();
  options.subjects = {"model:effective-first"};
  run(options);
  const auto size = std::filesystem::file_size(file);
  CHECK(prune_database(file, 1) == std::vector<std::string>{"tiny-1", "tiny-2"});
  CHECK(std::filesystem::file_size(file) < size);
  options.database = one;
  run(options);
  const char* verdicts = "SELECT subject, cell, check_id, verdict FROM verdicts ORDER BY 1, 2, 3";
  CHECK(rows(file, verdicts) == rows(one, verdicts));
  CHECK(rows(file, "SELECT count(*) FROM cell") == rows(one, "SELECT count(*) FROM cell"));
  CHECK(rows(file, "SELECT name FROM subject") == std::vector<std::string>{"model:effective-first|"});
  CHECK(prune_database(file, 1).empty());
}

}  // namespace
}  // namespace flashgate::matrix
