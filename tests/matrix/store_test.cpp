#include "matrix/store.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include "tests/matrix/store_fixture.h"

namespace flashgate::matrix {
namespace {

const std::vector<std::string> kNames{"rr_flashmask", "rr_flashmask/flag_version=4,head_dim=192/128",
                                      "cp_flashmask/cp_size=8,rank_skew=rank0_only", "rr_flash/head_dim=576/512"};

std::vector<Cell> some_cells()
{
  std::vector<Cell> cells;
  for (const std::string& name : kNames)
    cells.push_back(parse_cell(name));
  return cells;
}

/// A store with one run, one subject and some_cells().
struct Written
{
  TempFolder folder;
  std::string file = folder.file("results.db");
  Store store = Store::open_or_create(file);
  RunRecord run = run_of("default");
  std::int64_t subject = 0;
  std::vector<std::int64_t> cells;

  Written()
  {
    store.insert_run(run);
    subject = store.intern_subject("model:one", "the first");
    cells = store.intern_cells(some_cells());
  }
};

/// Every row of every table, in a fixed order.
std::vector<std::string> dump(const std::string& file)
{
  std::vector<std::string> rows;
  for (const std::string& table : query(file, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"))
    for (const std::string& row : query(file, "SELECT * FROM \"" + table + "\""))
      rows.push_back(table + ": " + row);
  return rows;
}

}  // namespace

TEST_CASE("a new database has the schema's marks, and its checks and verdicts")
{
  const Written written;
  CHECK(query(written.file, "PRAGMA user_version") == std::vector<std::string>{std::to_string(kSchemaVersion)});
  CHECK(query(written.file, "PRAGMA journal_mode") == std::vector<std::string>{"wal"});
  CHECK(query(written.file, "PRAGMA integrity_check") == std::vector<std::string>{"ok"});
  CHECK(query(written.file, "SELECT check_id FROM check_rule ORDER BY bit").size() == checks().size());
  CHECK(query(written.file, "SELECT verdict FROM verdict_level WHERE is_failure ORDER BY level") ==
        std::vector<std::string>{"fail", "timeout", "hang", "crash", "error", "missing"});
}

TEST_CASE("runs are numbered per suite and found by name or id")
{
  Written written;
  RunRecord other = run_of("smoke");
  RunRecord second = run_of("default");
  written.store.insert_run(other);
  written.store.insert_run(second);
  CHECK(written.run.name == "default-1");
  CHECK(other.name == "smoke-1");
  CHECK(second.name == "default-2");

  const std::pair<const char*, const char*> wanted[] = {
      {"", "default-2"}, {"default-1", "default-1"}, {"2", "smoke-1"}, {"nightly-1", ""}, {"4", ""}};
  for (const auto& [name, found] : wanted) {
    CAPTURE(name);
    const auto run = written.store.find_run(name);
    CHECK((run ? run->name : "") == found);
  }
  CHECK(written.store.last_run("default")->name == "default-2");
  CHECK_FALSE(written.store.last_run("nightly"));
  CHECK(written.store.runs().size() == 3);
}

TEST_CASE("a run reads back as written, incomplete until it is finished")
{
  Written written;
  RunRecord read = *written.store.find_run("default-1");
  CHECK(read.suite_digest == written.run.suite_digest);
  CHECK(read.options == written.run.options);
  CHECK(read.seed == 42);
  CHECK(read.with_expectations);
  CHECK(read.provenance.commit == written.run.provenance.commit);
  CHECK(read.provenance.dirty);
  CHECK(read.provenance.compiler == written.run.provenance.compiler);
  CHECK(read.provenance.build_type == written.run.provenance.build_type);
  CHECK(read.provenance.machine == written.run.provenance.machine);
  CHECK(read.started == written.run.started);
  CHECK(read.selected == 48);
  CHECK(read.finished == "");
  CHECK(read.exit_code == -1);

  written.store.finish_run(written.run.id, "2026-01-01T00:01:00Z", 2);
  read = *written.store.find_run("default-1");
  CHECK(read.finished == "2026-01-01T00:01:00Z");
  CHECK(read.exit_code == 2);
}

TEST_CASE("cells and subjects keep their ids, and a cell's columns are its axis values")
{
  Written written;
  CHECK(written.store.intern_cells(some_cells()) == written.cells);
  CHECK(written.store.intern_subject("model:one", "described anew") == written.subject);
  CHECK(query(written.file, "SELECT description FROM subject") == std::vector<std::string>{"described anew"});
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const Cell cell = parse_cell(kNames[i]);
    for (const AxisColumn& column : axis_columns()) {
      CAPTURE(column.name);
      const auto found = query(
          written.file, fmt::format("SELECT {0}, typeof({0}) FROM cell WHERE name = '{1}'", column.name, kNames[i]));
      CHECK(found == std::vector<std::string>{
                         fmt::format("{}|{}", column_text(column, cell), column.integer ? "integer" : "text")});
    }
  }
}

TEST_CASE("a plan fills a row per rank, with NULL for what it does not have")
{
  Written written;
  sim::CellPlan plan = full_plan();
  const sim::RankPlan first = plan.rank(0);
  plan.reset(2);
  plan.rank(0) = first;
  plan.rank(1) = failed_plan(0).rank(0);
  written.store.insert_plan(written.run.id, written.subject, written.cells[1], plan, 0b101, Verdict::fail);

  CHECK(
      query(written.file,
            "SELECT run, subject, cell, rank, forward_version, forward_kernel, forward_arity, "
            "second_version, handed_version, backward_version, backward_kernel, backward_arity, "
            "lse_version, lse_layout <> '', error_phase, error_kind, error_message, passed_checks, "
            "verdict FROM plan") ==
      std::vector<std::string>{"1|1|2|0|3|flashmask_attention_v2|8|3|3|2|flashmask_attention_grad|10|3|1|-|-|-|5|fail",
                               "1|1|2|1|-|-|-|-|-|-|-|-|-|-|bwd|ValueError|unsupported, \"really\"|0|fail"});
  CHECK(query(written.file, "SELECT step, phase, decision, t.outcome FROM trace_step AS t JOIN plan USING (trace)") ==
        std::vector<std::string>{"0|fwd|v4 available|no", "1|bwd|version|v2"});
  CHECK(query(written.file, "SELECT rank FROM plan WHERE trace IS NULL") == std::vector<std::string>{"1"});
}

TEST_CASE("a trace is stored once, whoever stores it")
{
  Written written;
  Store other = Store::open_or_create(written.file);
  for (std::size_t i = 0; i < 2; ++i) {
    written.store.insert_plan(written.run.id, written.subject, written.cells[i], full_plan(), 0, Verdict::pass);
    other.insert_plan(written.run.id, written.subject, written.cells[2 + i], full_plan(), 0, Verdict::pass);
  }
  CHECK(query(written.file, "SELECT count(*), count(DISTINCT trace) FROM plan") == std::vector<std::string>{"4|1"});
  CHECK(query(written.file, "SELECT count(*) FROM trace_step") == std::vector<std::string>{"2"});
}

TEST_CASE("planned cells come back as they went in")
{
  Written written;
  for (const std::int64_t cell : written.cells)
    written.store.insert_plan(written.run.id, written.subject, cell, failed_plan(1), 0, Verdict::error);
  const auto stored = written.store.planned_cells(written.run.id, written.subject);
  REQUIRE(stored.size() == kNames.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    CHECK(stored[i].id == written.cells[i]);
    CHECK(cell_name(stored[i].cell) == kNames[i]);
  }
  CHECK(written.store.planned_cells(written.run.id, written.subject + 1).empty());
  REQUIRE(written.store.subjects(written.run.id).size() == 1);
  CHECK(written.store.subjects(written.run.id)[0].name == "model:one");
  CHECK(written.store.subjects(written.run.id + 1).empty());
}

TEST_CASE("verdicts, incidents, expectations and exclusions read back as written, whatever their texts")
{
  Written written;
  const auto& id = written.run.id;
  std::string check = "a";
  CHECK(rc::check([&](const std::string& text, const std::string& reason) {
    check += "b";  // a key of its own for every round
    const auto verdict = *rc::gen::inRange(1, 11);
    const auto outcome = static_cast<Outcome>(*rc::gen::inRange(0, 6));
    const auto number = *rc::gen::arbitrary<std::int64_t>();
    written.store.insert_verdict(
        id, {written.subject, written.cells[0], check, static_cast<Verdict>(verdict), outcome, text});
    written.store.insert_incident(id, {written.subject, written.cells[0], check, "hang", text});
    written.store.insert_expectation_use(id, {check, 3, text, reason, "used", number, 5});
    written.store.insert_excluded(id, {{check + reason, number}});

    const VerdictRow row = written.store.verdict_rows(id).back();
    RC_ASSERT(row.check_id == check && static_cast<int>(row.verdict) == verdict && row.outcome == outcome &&
              row.detail == text);
    const IncidentRow incident = written.store.incidents(id).back();
    RC_ASSERT(incident.check_id == check && incident.kind == "hang" && incident.detail == text);
    const ExpectationUse use = written.store.expectation_uses(id).back();
    RC_ASSERT(use.file == check && use.line == 3 && use.text == text && use.reason == reason && use.status == "used" &&
              use.matched == number && use.failing == 5);
    RC_ASSERT(written.store.excluded(id).at(check + reason) == number);
  }));
}

TEST_CASE("the same calls make the same rows")
{
  const TempFolder folder;
  write_sample(folder.file("a.db"));
  write_sample(folder.file("b.db"));
  CHECK(dump(folder.file("a.db")) == dump(folder.file("b.db")));
  CHECK(dump(folder.file("a.db")).size() > 100);
}

TEST_CASE("an Error undoes what was written since begin, traces included")
{
  Written written;
  const auto insert = [&](std::size_t cell) {
    written.store.insert_plan(written.run.id, written.subject, written.cells[cell], full_plan(), 0, Verdict::pass);
  };
  written.store.begin();
  insert(0);
  CHECK(error_of([&] { insert(0); }).find("refuses a row") != std::string::npos);
  CHECK(query(written.file, "SELECT count(*) FROM plan") == std::vector<std::string>{"0"});

  written.store.begin();
  insert(1);
  written.store.commit();
  CHECK(query(written.file, "SELECT count(*) FROM plan") == std::vector<std::string>{"1"});
  CHECK(query(written.file, "SELECT count(*) FROM trace_step") == std::vector<std::string>{"2"});
}

TEST_CASE("a row that belongs to nothing is refused")
{
  Written written;
  const auto plan = [&](std::int64_t run, std::int64_t subject, std::int64_t cell) {
    return error_of([&] { written.store.insert_plan(run, subject, cell, full_plan(), 0, Verdict::pass); });
  };
  CHECK(plan(99, written.subject, written.cells[0]).find("FOREIGN KEY") != std::string::npos);
  CHECK(plan(written.run.id, 99, written.cells[0]).find("FOREIGN KEY") != std::string::npos);
  CHECK(plan(written.run.id, written.subject, 99).find("FOREIGN KEY") != std::string::npos);
  CHECK(error_of([&] { written.store.finish_run(99, "now", 0); }).find("no run 99") != std::string::npos);
}

}  // namespace flashgate::matrix
