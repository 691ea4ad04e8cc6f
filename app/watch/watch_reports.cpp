#include "app/watch/watch_reports.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "matrix/provenance.h"
#include "reports/junit_nodes.h"
#include "reports/markdown_text.h"
#include "reports/plain_text.h"

namespace flashgate::app {
namespace {

using matrix::Verdict;
using reports::code_block;
using reports::code_span;

constexpr std::size_t kMostRows = 200;
constexpr std::size_t kMostText = 16'000;  // of one block: the files in logs/ have all of it
constexpr const char* kCheck = "watch";

std::string value_of(const char* name)
{
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string pipeline()
{
  if (const std::string run = value_of("GITHUB_RUN_ID"); !run.empty()) return value_of("GITHUB_WORKFLOW") + " " + run;
  for (const char* name : {"CI_PIPELINE_ID", "BUILD_TAG", "BUILDKITE_BUILD_ID", "CIRCLE_WORKFLOW_ID", "SLURM_JOB_ID"})
    if (const std::string value = value_of(name); !value.empty()) return std::string(name) + " " + value;
  return "local";
}

std::string text_of_lines(const std::vector<std::string>& lines)
{
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

std::string shown(const std::string& text) { return reports::shown_text(text, kMostText, true); }

/// The last lines are those that tell.
std::string shown_end(const std::string& text)
{
  return shown(text.size() <= kMostText ? text : "[...]\n" + text.substr(text.size() - kMostText / 2));
}

std::string names_of(const std::vector<std::string>& tests)
{
  std::string text;
  for (const std::string& test : tests)
    text += (text.empty() ? "" : ", ") + code_span(test);
  return text;
}

std::string hang_section(const Hang& hang, std::size_t number)
{
  const HangEvidence& seen = hang.evidence;
  std::string text = fmt::format("\n## Hang {}: {}\n\n", number,
                                 hang.tests.empty() ? code_span(hang.meanwhile) : names_of(hang.tests));
  text += fmt::format("Nothing moved for {:.1f} s. Likely cause: **{}**. {}\n", hang.silent_seconds,
                      cause_text(seen.cause), cause_suggestion(seen.cause));
  text += "\nLast lines:\n\n" + code_block(shown_end(text_of_lines(hang.last_lines)), "");
  if (!seen.python_stacks.empty()) text += "\nPython stacks:\n\n" + code_block(shown(seen.python_stacks), "");
  text += "\nProcesses:\n\n" + code_block(shown(seen.states), "");
  text += fmt::format("\nNative stacks (in full in logs/hang-{}.txt):\n\n", number);
  return text + code_block(shown(seen.native_stacks), "");
}

std::string table_of(const WatchResult& result)
{
  std::string text;
  std::size_t rows = 0;
  for (const WatchedTest& test : result.tests) {
    if (!is_failure(test.verdict)) continue;
    if (rows == 0) text += "\n## Tests that did not pass\n\n| test | verdict | why |\n|---|---|---|\n";
    if (++rows > kMostRows) return text + "\nand more: the database has them all.\n";
    text += fmt::format("| {} | {} | {} |\n", code_span(test.name, true), verdict_name(test.verdict),
                        test.detail.empty() ? "" : code_span(test.detail, true));
  }
  return text;
}

void add_case(pugi::xml_node suite, const WatchedTest& test, const std::string& label, reports::JunitCounts& counts)
{
  pugi::xml_node node = suite.append_child("testcase");
  reports::set_junit(node, "classname", label);
  reports::set_junit(node, "name", test.name);
  reports::set_junit(node, "time", fmt::format("{:.3f}", test.seconds));
  ++counts.tests;
  if (test.verdict == Verdict::skip) {
    ++counts.skipped;
    reports::set_junit(node.append_child("skipped"), "message", test.detail);
  } else if (is_failure(test.verdict)) {
    ++counts.failures;
    pugi::xml_node failure = node.append_child("failure");
    reports::set_junit(failure, "type", verdict_name(test.verdict));
    reports::set_junit(failure, "message", test.detail);
    reports::set_junit_text(failure, test.evidence);
  }
}

}  // namespace

WatchLabel make_label(const std::string& given, const std::vector<std::string>& command)
{
  WatchLabel label{given, pipeline(), {}};
  if (given.empty()) label.label = command.front().substr(command.front().rfind('/') + 1);
  for (const std::string& word : command)
    label.command += (label.command.empty() ? "" : " ") + word;
  return label;
}

matrix::ExitCode exit_code_of(const WatchResult& result)
{
  const auto any = [&](auto&& matches) { return std::ranges::any_of(result.tests, matches); };
  if (result.stopped) return matrix::ExitCode::incomplete;
  if (any([](const WatchedTest& test) { return is_failure(test.verdict); })) return matrix::ExitCode::failures;
  return any([](const WatchedTest& test) { return test.verdict == Verdict::pass; }) ? matrix::ExitCode::as_expected
                                                                                    : matrix::ExitCode::nothing_ran;
}

std::string counts_text(const WatchResult& result)
{
  std::map<Verdict, std::int64_t> counts;
  for (const WatchedTest& test : result.tests)
    ++counts[test.verdict];
  std::string text = reports::count_of(static_cast<std::int64_t>(result.tests.size()), "test") + ":";
  for (const auto& [verdict, count] : counts)
    text += fmt::format("{} {} {}", text.ends_with(':') ? "" : ",", count, verdict_name(verdict));
  return text;
}

std::string watch_junit(const WatchResult& result, const WatchLabel& label)
{
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  reports::set_junit(suites, "name", "flashgate watch " + label.label);
  pugi::xml_node suite = suites.append_child("testsuite");
  reports::set_junit(suite, "name", label.label);
  reports::JunitCounts counts;
  for (const WatchedTest& test : result.tests)
    add_case(suite, test, label.label, counts);
  reports::set_junit_counts(suite, counts);
  reports::set_junit_counts(suites, counts);
  return reports::document_text(document);
}

std::string watch_markdown(const WatchResult& result, const WatchLabel& label)
{
  std::string text = fmt::format("# Watched: {}\n\n| | |\n|---|---|\n", code_span(label.label));
  text += fmt::format("| pipeline | {} |\n| command | {} |\n| runner | {} |\n| tests | {} |\n| passes | {} |\n",
                      code_span(label.pipeline, true), code_span(label.command, true),
                      result.runner.empty() ? "unknown" : result.runner, counts_text(result), result.passes);
  if (!result.ending.empty()) text += fmt::format("| the command | {} |\n", result.ending);
  for (std::size_t i = 0; i < result.hangs.size(); ++i)
    text += hang_section(result.hangs[i], i + 1);
  text += table_of(result);
  if (result.hangs.empty()) text += "\nLast lines:\n\n" + code_block(shown_end(text_of_lines(result.last_lines)), "");
  return text;
}

std::string store_watch(const std::string& database, const WatchResult& result, const WatchLabel& label,
                        const std::string& started)
{
  matrix::RunRecord run;
  run.suite = "watch";
  run.options = label.command;
  run.with_expectations = false;
  run.provenance = matrix::current_provenance();
  run.started = started;
  run.selected = static_cast<std::int64_t>(result.tests.size());
  std::vector<std::string> names;
  for (const WatchedTest& test : result.tests)
    names.push_back(test.name);
  matrix::Store store = matrix::Store::open_or_create(database);
  const std::vector<std::int64_t> cells = store.intern_tests(names);
  store.begin();
  store.insert_run(run);
  const std::int64_t subject = store.intern_subject("watch:" + label.label, label.command);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const WatchedTest& test = result.tests[i];
    store.insert_verdict(run.id, {subject, cells[i], kCheck, test.verdict, matrix::Outcome::as_is, test.detail});
    if (!test.evidence.empty())
      store.insert_incident(run.id,
                            {subject, cells[i], kCheck, std::string(verdict_name(test.verdict)), test.evidence});
  }
  if (result.stopped) {
    store.commit();
  } else {
    store.finish_run(run.id, matrix::utc_now(), static_cast<int>(exit_code_of(result)));
  }
  return run.name;
}

}  // namespace flashgate::app
