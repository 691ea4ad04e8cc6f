// The smallest edit after which a run is as expected.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "matrix/execution_book.h"
#include "matrix/expectation_review.h"
#include "matrix/runner.h"
#include "tests/temporary_folder.h"

namespace flashgate::matrix {
namespace {

constexpr const char* kSubject = "model:fleet-d";
const std::atomic<bool> kNeverStop = false;

std::string text_of(const std::string& file)
{
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A suite of a few dozen cells with expectation files of its own.
struct OwnSuite
{
  explicit OwnSuite(const std::string& fails)
  {
    std::string toml = text_of(FLASHGATE_SOURCE_DIR "/suites/tiny.toml");
    toml.replace(toml.find("\"default\""), 9, "\"own\"");
    std::ofstream(folder.file("own.toml")) << toml;
    std::ofstream(folder.file("own-fails.txt")) << fails;
  }

  RunResult run(const std::string& database)
  {
    RunOptions options;
    options.suites_folder = folder.path().string();
    options.suite = "own";
    options.subjects = {kSubject, "model:effective-first"};
    options.database = folder.file(database);
    return run_suite(
        options, [](const Progress&) {}, kNeverStop);
  }

  std::vector<ExpectationEdit> plan(const std::string& database)
  {
    Store store = Store::open_read_only(folder.file(database));
    return plan_expectation_update(store, *store.find_run(""), folder.path(), "own");
  }

  void apply(const std::vector<ExpectationEdit>& edits)
  {
    for (const ExpectationEdit& edit : edits)
      std::ofstream(folder.file(edit.file), std::ios::binary) << edit.after;
  }

  tests::TemporaryFolder folder;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("an update makes a run as expected, and there is nothing more to change")
{
  OwnSuite suite(
      "# What is known.\n"
      "subject=model:effective-first check=I1 | never true | me | never\n"
      "\n"
      "subject=model:fleet-d check=I4 flag_version=4 | too wide | me | 2199-01-02\n"
      "subject=model:fleet-d check=I2 path=cp_flashmask | expired | me | 2001-01-02\n");
  CHECK(suite.run("first.db").exit_code == ExitCode::failures);
  const std::vector<ExpectationEdit> edits = suite.plan("first.db");
  REQUIRE(edits.size() == 1);
  CHECK(edits[0].file == "own-fails.txt");
  CHECK(edits[0].before == text_of(suite.folder.file("own-fails.txt")));
  const std::string& after = edits[0].after;
  CAPTURE(after);
  CHECK(after.starts_with("# What is known.\n\n"));
  CHECK_FALSE(contains(after, "never true"));
  CHECK(contains(after, "# Found by run own-1"));
  CHECK(contains(after, " | too wide | me | 2199-01-02\n"));
  CHECK_FALSE(contains(after, "check=I4 flag_version=4 |"));
  CHECK(contains(after, " | nobody | 20"));
  CHECK(contains(after, "| expired | me | 2001-01-02\n"));

  suite.apply(edits);
  CHECK(suite.plan("first.db").empty());
  suite.run("second.db");
  CHECK(suite.plan("second.db").empty());
  const ExpectationReview review = [&] {
    Store store = Store::open_read_only(suite.folder.file("second.db"));
    return review_run(store, 1, load_expectations(suite.folder.path(), "own"), "2030-01-01");
  }();
  for (const ExpectationBook::Use& use : review.uses)
    CHECK_MESSAGE((use.status() == "used" || use.expired), use.line.text);
}

TEST_CASE("a run that is as expected needs no update")
{
  OwnSuite suite("");
  suite.run("first.db");
  suite.apply(suite.plan("first.db"));
  CHECK(suite.run("second.db").exit_code == ExitCode::as_expected);
  CHECK(suite.plan("second.db").empty());
}

TEST_CASE("lines speak of checks of executions as of those of plans")
{
  const auto lines = parse_expectations(ExpectationKind::fails, "s-fails.txt",
                                        "check=numerics head_dim=128 | why | me | never\n"
                                        "check=I1,race verdict=crash | why | me | never\n");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].execution_checks == std::vector<std::string_view>{"numerics"});
  CHECK(lines[1].checks.size() == 1);

  struct Row
  {
    const char* what;
    ExpectationKind kind;
    CellExecutions executed;
    Outcome outcome;
    bool fails;
  };
  CellExecutions passed, failed, crashed, nothing;
  passed.ids = failed.ids = crashed.ids = {1};
  failed.findings = {{"numerics", Verdict::fail, "too far"}};
  crashed.findings = {{"numerics", Verdict::crash, "gone"}};
  using enum ExpectationKind;
  const std::vector<Row> rows{{"as it says", fails, failed, Outcome::expected_fail, false},
                              {"a pass", fails, passed, Outcome::unexpected_pass, true},
                              {"a crash", fails, crashed, Outcome::as_is, true},
                              {"nothing executed", fails, nothing, Outcome::as_is, false},
                              {"a flake", flakes, crashed, Outcome::known_flake, false},
                              {"a flake that passes", flakes, passed, Outcome::as_is, false}};
  const Cell cell = parse_cell("rr_flashmask");
  for (const Row& row : rows) {
    CAPTURE(row.what);
    ExpectationBook book(parse_expectations(row.kind, "s.txt", "check=numerics | why | me | never"), "2030-01-01");
    const std::vector<ExecutionFinding> judged = book.apply_executions(kSubject, cell, row.executed);
    CHECK((judged.empty() ? Outcome::as_is : judged[0].outcome) == row.outcome);
    CHECK((!judged.empty() && fails_the_run(judged[0].verdict, judged[0].outcome)) == row.fails);
  }
}

}  // namespace
}  // namespace flashgate::matrix
