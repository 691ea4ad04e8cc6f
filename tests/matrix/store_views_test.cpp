#include <doctest/doctest.h>
#include <fmt/format.h>

#include "matrix/expectations.h"
#include "matrix/side_reader.h"
#include "tests/matrix/store_fixture.h"

namespace flashgate::matrix {
namespace {

std::vector<std::string> columns_of(const std::string& file, const std::string& view)
{
  return query(file, fmt::format("SELECT name FROM pragma_table_info('{}')", view));
}

std::vector<std::string> with_axes(std::vector<std::string> columns)
{
  for (const AxisColumn& column : axis_columns())
    columns.emplace_back(column.name);
  return columns;
}

/// A database with one run, subject and cell, a plan that passed checks 0 and 2, and no verdicts yet.
struct OnePlan
{
  TempFolder folder;
  std::string file = folder.file("results.db");
  Store store = Store::open_or_create(file);
  RunRecord run = run_of("default");
  std::int64_t cell = 0;

  OnePlan()
  {
    store.insert_run(run);
    store.intern_subject("model:one", "");
    cell = store.intern_cells({default_cell(0)})[0];
    store.insert_plan(run.id, 1, cell, full_plan(), 0b101, Verdict::pass);
  }

  void verdict(const std::string& check, Verdict verdict, Outcome outcome, const std::string& detail = "")
  {
    store.insert_verdict(run.id, {1, cell, check, verdict, outcome, detail});
  }
};

}  // namespace

TEST_CASE("failures and verdicts have the promised columns, then the axes")
{
  const OnePlan one;
  const std::vector<std::string> first{"run", "subject", "cell", "check_id", "verdict", "outcome", "detail"};
  CHECK(columns_of(one.file, "failures") == with_axes(first));
  CHECK(columns_of(one.file, "verdicts") == with_axes(first));
}

TEST_CASE("failures shows failing verdicts that nobody expected, and nothing else")
{
  OnePlan one;
  std::vector<std::string> expected;
  for (int v = 0; v <= static_cast<int>(Verdict::missing); ++v)
    for (int o = 0; o <= static_cast<int>(Outcome::flake); ++o) {
      const auto verdict = static_cast<Verdict>(v);
      const auto outcome = static_cast<Outcome>(o);
      const std::string check = fmt::format("{:02}{:02}", v, o);
      one.verdict(check, verdict, outcome);
      const bool excused = outcome == Outcome::expected_fail || outcome == Outcome::known_flake;
      if (is_failure(verdict) && !excused) expected.push_back("default-1|model:one|rr_flashmask|" + check);
    }
  CHECK(query(one.file, "SELECT run, subject, cell, check_id FROM failures ORDER BY check_id") == expected);
}

TEST_CASE("the run, its figures and the gate's side excuse the same failures, a flake among them")
{
  OnePlan one;
  for (int o = 0; o <= static_cast<int>(Outcome::flake); ++o)
    one.verdict(fmt::format("outcome {}", o), Verdict::crash, static_cast<Outcome>(o));
  const RunFigures figures = one.store.figures(one.run);
  const Side side = read_side(one.store, one.run.id, one.store.subjects(one.run.id)[0]);
  REQUIRE(side.cells.size() == 1);
  const std::vector<CheckFailure>& failures = side.cells.begin()->second.failures;
  REQUIRE(failures.size() == 6);
  CHECK(figures.flakes == 2);
  for (const CheckFailure& failure : failures) {
    CAPTURE(failure.check_id);
    const auto outcome = static_cast<Outcome>(failure.check_id.back() - '0');
    CHECK(failure.expected == is_excuse(outcome));
    CHECK(figures.failures.count(failure.check_id) == (is_excuse(outcome) ? 0 : 1));
    CHECK(fails_the_run(failure.verdict, outcome) != is_excuse(outcome));
  }
  CHECK(is_excuse(Outcome::flake));
  CHECK_FALSE(is_excuse(Outcome::unexpected_pass));
}

TEST_CASE("verdicts expands the bit set, except for checks that have a verdict of their own")
{
  OnePlan one;
  one.verdict("I1", Verdict::pass, Outcome::unexpected_pass);  // its bit is set, too
  one.verdict("I2", Verdict::fail, Outcome::as_is, "why");
  CHECK(query(one.file, "SELECT check_id, verdict, outcome, detail FROM verdicts ORDER BY check_id") ==
        std::vector<std::string>{"I1|pass|unexpected_pass|-", "I2|fail|as_is|why", "I3|pass|as_is|-"});
}

TEST_CASE("verdict counts are the counts of view verdicts")
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  write_sample(file);
  Store store = Store::open_or_create(file);
  const std::int64_t run = store.find_run("default-1")->id;
  store.insert_verdict(run, {1, 1, "I10", Verdict::pass, Outcome::unexpected_pass, ""});
  store.insert_verdict(run, {1, 1, "race", Verdict::fail, Outcome::as_is, ""});

  std::vector<std::string> counted;
  for (const VerdictCount& count : store.verdict_counts(run))
    counted.push_back(fmt::format("{}|{}|{}|{}|{}", count.subject, count.check_id, verdict_name(count.verdict),
                                  outcome_name(count.outcome), count.cells));
  CHECK(counted == query(file,
                         "SELECT s.id, v.check_id, v.verdict, outcome, count(*) FROM verdicts AS v "
                         "JOIN subject AS s ON s.name = v.subject JOIN verdict_level AS l USING (verdict) "
                         "LEFT JOIN check_rule AS c USING (check_id) WHERE run = 'default-1' "
                         "GROUP BY s.id, v.check_id, v.verdict, outcome "
                         "ORDER BY s.id, c.bit IS NULL, c.bit, v.check_id, l.level, outcome"));
  CHECK(counted.size() > 10);
}

TEST_CASE("matrix has one row per run, subject and cell, with what rank 0 would run")
{
  const TempFolder folder;
  write_sample(folder.file("results.db"));
  CHECK(query(folder.file("results.db"), "SELECT count(*), count(DISTINCT run || subject || cell) FROM matrix") ==
        query(folder.file("results.db"), "SELECT count(*), count(*) FROM plan WHERE rank = 0"));
  CHECK(query(folder.file("results.db"),
              "SELECT verdict, forward_version, backward_version, head_dim, head_dim_v FROM matrix WHERE "
              "run = 'default-1' AND subject = 'model:fleet-d' AND head_dim_v <> head_dim") ==
        std::vector<std::string>{"fail|3|-|192|128"});
}

TEST_CASE("changes compares a run with the one before it of the same suite that was finished")
{
  OnePlan one;  // default-1 passes
  const auto add_run = [&](const std::string& suite, Verdict verdict, bool finish) {
    RunRecord run = run_of(suite);
    one.store.insert_run(run);
    one.store.insert_plan(run.id, 1, one.cell, full_plan(), 0, verdict);
    if (finish) one.store.finish_run(run.id, "now", 0);
  };
  one.store.finish_run(one.run.id, "now", 0);
  add_run("smoke", Verdict::hang, true);
  add_run("default", Verdict::crash, false);  // default-2
  add_run("default", Verdict::fail, true);    // default-3
  add_run("default", Verdict::fail, true);    // default-4: as default-3
  CHECK(query(one.file, "SELECT previous_run, run, subject, cell, previous_verdict, verdict FROM changes") ==
        std::vector<std::string>{"default-1|default-2|model:one|rr_flashmask|pass|crash",
                                 "default-1|default-3|model:one|rr_flashmask|pass|fail"});
}

TEST_CASE("coverage and slowest count lines and order executions")
{
  const TempFolder folder;
  write_sample(folder.file("results.db"));
  CHECK(query(folder.file("results.db"), "SELECT * FROM coverage").size() == 1);
  CHECK(query(folder.file("results.db"), "SELECT file, lines, covered, percent FROM coverage") ==
        std::vector<std::string>{"attention.py|2|1|50.0"});
  CHECK(query(folder.file("results.db"), "SELECT execution, seconds, cells FROM slowest") ==
        std::vector<std::string>{"backward/v2|1.5|1", "forward/v2|0.25|2"});
}

TEST_CASE("routes group plans by trace and end, with the first cell of the worst verdict")
{
  OnePlan one;  // cell 1 takes the full plan's route and passes
  const auto add = [&](const char* cell, const sim::CellPlan& plan, Verdict verdict) {
    one.store.insert_plan(one.run.id, 1, one.store.intern_cells({parse_cell(cell)})[0], plan, 0, verdict);
  };
  add("rr_flash", failed_plan(0), Verdict::not_supported);
  add("rr_flashmask/head_dim=64", full_plan(), Verdict::fail);
  add("rr_flashmask/head_dim=80", full_plan(), Verdict::fail);
  add("rr_flashmask/head_dim=96", failed_plan(3), Verdict::warn);

  const std::vector<RouteRow> routes = one.store.routes(one.run.id, 1);
  REQUIRE(routes.size() == 3);
  CHECK(routes[0].end == "v3 / v2");
  CHECK(routes[0].plans == 3);
  CHECK(routes[0].worst == Verdict::fail);
  CHECK(routes[0].example_cell == "rr_flashmask/head_dim=64");
  CHECK(routes[0].steps == full_plan().rank(0).trace);
  CHECK(routes[1].end == "bwd ValueError");
  CHECK(routes[1].steps.empty());
  CHECK(routes[2].steps == failed_plan(3).rank(0).trace);
  CHECK(routes[2].worst == Verdict::warn);
}

TEST_CASE("failures.csv quotes what needs it, and nothing else")
{
  OnePlan one;
  one.verdict("I1", Verdict::fail, Outcome::as_is, "plain text");
  one.verdict("I2", Verdict::fail, Outcome::as_is, "comma, \"quote\"\nand line");
  std::vector<std::string> lines;
  one.store.failures_csv(one.run.id, [&](const std::string& line) { lines.push_back(line); });

  std::string values;
  for (const AxisColumn& column : axis_columns())
    values += fmt::format(",{}", column_text(column, default_cell(0)));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("run,subject,cell,check_id,verdict,outcome,detail,path,flag_version,"));
  CHECK(lines[1] == "default-1,model:one,rr_flashmask,I1,fail,as_is,plain text" + values);
  CHECK(lines[2] == "default-1,model:one,rr_flashmask,I2,fail,as_is,\"comma, \"\"quote\"\"\nand line\"" + values);
}

}  // namespace flashgate::matrix
