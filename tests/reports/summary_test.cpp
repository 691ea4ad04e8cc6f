#include "reports/summary.h"

#include <cstdlib>
#include <sstream>

#include <doctest/doctest.h>

#include "example_run.h"
#include "matrix/texts.h"
#include "reports/plain_text.h"
#include "reports/summary_markdown.h"
#include "reports/summary_text.h"

namespace flashgate::reports {
namespace {

using matrix::Outcome;
using matrix::Verdict;

std::string text(const RunSummary& summary, const TextOptions& options = {})
{
  std::ostringstream out;
  write_text(out, summary, options);
  return out.str();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

RunSummary with_counts(std::vector<matrix::VerdictCount> counts, int exit_code)
{
  SummarySource source = tests::clean_source();
  source.counts = std::move(counts);
  source.classes.clear();
  source.run.exit_code = exit_code;
  return summarize(source);
}

/// Every text that can come from outside is hostile.
SummarySource hostile_source()
{
  SummarySource source = tests::example_source();
  for (const std::string& bad : tests::hostile_texts()) {
    source.subjects.push_back({static_cast<std::int64_t>(source.subjects.size()) + 1, bad, bad});
    source.counts.push_back({source.subjects.back().id, bad, Verdict::fail, Outcome::as_is, 1});
    source.classes.push_back({bad, bad, Verdict::crash, bad, bad, 1, 1, bad});
    source.uses.push_back({bad, 1, bad, bad, bad, 0, 0});
    source.excluded[bad] = 1;
  }
  return source;
}

}  // namespace

TEST_CASE("each verdict is counted once, and the checks come in their order")
{
  const RunSummary summary = summarize(tests::example_source());
  REQUIRE(summary.checks.size() == 3);
  CHECK(summary.checks[0].id == "I2");
  CHECK(summary.checks[1].id == "I4");
  CHECK(summary.checks[2].id == "I10");
  CHECK(summary.checks[1].title == "deterministic never lands on v3");
  const CheckCounts& i4 = summary.subjects[0].checks[1];
  CHECK(i4.passed == 800);
  CHECK(i4.expected == 95);
  CHECK(i4.failed == 12);
  CHECK(i4.worst == Verdict::fail);
  CHECK(summary.totals().failed == 15);
  CHECK(summary.totals().warned == 4);
  CHECK(summary.totals().not_supported == 40);
}

TEST_CASE("unexpected classes come first, the worst of them at the head")
{
  const RunSummary summary = summarize(tests::example_source());
  const auto& classes = summary.subjects[0].classes;
  REQUIRE(classes.size() == 3);
  CHECK(classes[0].verdict == Verdict::hang);
  CHECK(classes[1].unexpected == 12);
  CHECK(classes[2].unexpected == 0);
  CHECK(summary.class_count(true) == 2);
  CHECK(summary.class_count(false) == 1);
}

TEST_CASE("only expectation lines that do not hold are problems")
{
  const RunSummary summary = summarize(tests::example_source());
  REQUIRE(summary.expectation_problems.size() == 1);
  CHECK(summary.expectation_problems[0].line == 4);
}

TEST_CASE("the state of a run is never greener than what was seen")
{
  const matrix::VerdictCount pass{1, "I4", Verdict::pass, Outcome::as_is, 5};
  CHECK(with_counts({pass}, 0).state() == RunState::ok);
  CHECK(with_counts({pass}, 1).state() == RunState::failed);
  CHECK(with_counts({pass}, 3).state() == RunState::failed);
  CHECK(with_counts({}, 0).state() == RunState::nothing_ran);
  CHECK(with_counts({pass, {1, "I4", Verdict::fail, Outcome::as_is, 1}}, 0).state() == RunState::failed);
  CHECK(with_counts({pass, {1, "I4", Verdict::fail, Outcome::expected_fail, 1}}, 0).state() == RunState::ok);
  CHECK(with_counts({pass, {1, "I4", Verdict::fail, Outcome::known_flake, 1}}, 0).state() == RunState::ok);
  CHECK(with_counts({pass, {1, "I4", Verdict::pass, Outcome::unexpected_pass, 1}}, 0).state() == RunState::failed);
  CHECK(with_counts({pass, {1, "I4", Verdict::missing, Outcome::as_is, 1}}, 0).state() == RunState::failed);
  RunSummary unfinished = with_counts({pass}, -1);
  unfinished.run.finished.clear();
  CHECK(unfinished.state() == RunState::incomplete);
}

TEST_CASE("the headline says what happened")
{
  CHECK(headline(summarize(tests::example_source())) ==
        "FAILED: 15 unexpected failures in 2 classes; 95 expected failures in 1 class");
  CHECK(headline(summarize(tests::clean_source())) == "OK: no unexpected failure; 77 expected failures in 1 class");
  CHECK(headline(with_counts({}, 5)).starts_with("NOTHING RAN"));
  CHECK(headline(with_counts({{1, "crash", Verdict::crash, Outcome::flake, 2}}, 0)) ==
        "OK: no unexpected failure; 2 flakes");
  CHECK(headline(with_counts(
            {{1, "I4", Verdict::fail, Outcome::expected_fail, 1}, {1, "race", Verdict::fail, Outcome::known_flake, 1}},
            0)) == "OK: no unexpected failure; 1 expected failure and 1 flake");
  CHECK(headline(with_counts({{1, "I4", Verdict::pass, Outcome::unexpected_pass, 2}}, 1)) ==
        "FAILED: 0 unexpected failures, 2 expected failures that did not come");
  SummarySource stale = tests::clean_source();
  stale.run.exit_code = 1;
  stale.uses = {{"default-fails.txt", 4, "check=I6", "", "unexpected", 1, 0}};
  CHECK(headline(summarize(stale)).starts_with("FAILED: 1 expectation line does not hold"));
  SummarySource bare = tests::example_source();
  bare.run.with_expectations = false;
  CHECK(headline(summarize(bare)).starts_with("FAILED: 15 failures in 2 classes"));
  bare.run.finished.clear();
  bare.run.exit_code = -1;
  CHECK(contains(headline(summarize(bare)), "so far"));
}

TEST_CASE("the text has the verdict first, the table, and a repro line for each unexpected class")
{
  const std::string shown = text(summarize(tests::example_source()));
  CHECK(shown == tests::golden("summary.txt", shown));
  CHECK(shown.starts_with("FAILED: "));
  CHECK(contains(shown,
                 "build/release/flashgate repro 'rr_flashmask/flag_version=4,deterministic=on,signature=legacy' "
                 "--subject model:fleet-d"));
  CHECK(!contains(shown, "head_dim=192"));  // an expected class is counted only
}

TEST_CASE("colours need a terminal and no NO_COLOR")
{
  const RunSummary summary = summarize(tests::example_source());
  unsetenv("NO_COLOR");
  CHECK(!contains(text(summary), "\033["));
  CHECK(contains(text(summary, {.is_terminal = true}), "\033[31;1m"));
  setenv("NO_COLOR", "1", 1);
  CHECK(!contains(text(summary, {.is_terminal = true}), "\033["));
  unsetenv("NO_COLOR");
}

TEST_CASE("no line but a repro line is wider than the terminal, however many checks there are")
{
  SummarySource source = tests::example_source();
  for (int i = 0; i < 40; ++i)
    source.counts.push_back({1, "check_number_" + std::to_string(i), Verdict::fail, Outcome::as_is, 123456});
  source.classes[1].detail = std::string(300, 'x') + " " + std::string(300, 'y');
  for (const std::size_t width : {80, 120}) {
    std::istringstream lines(text(summarize(source), {.width = width}));
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      if (!contains(line, "flashgate repro")) CHECK(width_of(line) <= width);
    }
  }
}

TEST_CASE("the text shows so many classes and counts the rest")
{
  SummarySource source = tests::example_source();
  for (int i = 0; i < 50; ++i)
    source.classes.push_back(
        {"model:fleet-d", "I4", Verdict::fail, "dropout=0.1", "detail " + std::to_string(i), 1, 1, "cell"});
  CHECK(contains(text(summarize(source)), "... and 42 more"));
}

TEST_CASE("an entry of the table tells apart what must not be confused")
{
  CHECK(table_entry({}) == "·");
  CHECK(table_entry({.passed = 5}) == "✓");
  CHECK(table_entry({.passed = 5, .warned = 2}) == "! 2");
  CHECK(table_entry({.not_supported = 5}) == "–");
  CHECK(table_entry({.passed = 5, .failed = 1234}) == "✗ 1,234");
  CHECK(table_entry({.passed = 5, .expected = 7}) == "(7)");
  CHECK(table_entry({.failed = 1, .expected = 7}) == "✗ 1 (7)");
}

TEST_CASE("hostile texts reach neither the terminal nor the parser")
{
  const RunSummary summary = summarize(hostile_source());
  const std::string shown = text(summary, {.most_classes = 1000});
  CHECK(matrix::find_invalid_utf8(shown) == std::string::npos);
  CHECK(!contains(shown, "\x1b"));
  CHECK(!contains(shown, "\xC2\x9B"));
  const std::string markdown = markdown_summary(summary);
  CHECK(matrix::find_invalid_utf8(markdown) == std::string::npos);
  CHECK(markdown.size() < kMostMarkdown);
}

TEST_CASE("the Markdown is as it was")
{
  const std::string markdown = markdown_summary(summarize(tests::example_source()));
  CHECK(markdown == tests::golden("summary.md", markdown));
}

TEST_CASE("Markdown that gets too long keeps the worst and counts the rest")
{
  SummarySource source = tests::example_source();
  for (int i = 0; i < 2000; ++i)
    source.classes.push_back(
        {"model:fleet-d", "I4", Verdict::fail, "dropout=0.1", std::string(200, 'd'), 1, 1, "cell"});
  const std::string markdown = markdown_summary(summarize(source));
  CHECK(markdown.size() < kMostMarkdown);
  CHECK(markdown.size() > kMostMarkdown - 2000);
  CHECK(contains(markdown, "rank 0 waits in alltoall(dK)"));
  CHECK(contains(markdown, "classes more: see index.html"));
}

TEST_CASE("a code span shows its text and ends where it should")
{
  CHECK(code_span("plain") == "`plain`");
  CHECK(code_span("a`b") == "``a`b``");
  CHECK(code_span("`") == "`` ` ``");
  CHECK(code_span("a|b") == "`a|b`");
  CHECK(code_span("a|b", true) == "`a\\|b`");
  CHECK(code_span("") == "` `");
  CHECK(code_span("two\nlines") == "`two lines`");
}

}  // namespace flashgate::reports
