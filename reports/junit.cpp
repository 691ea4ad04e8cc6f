#include "reports/junit.h"

#include <fmt/format.h>

#include "reports/junit_nodes.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"

namespace flashgate::reports {
namespace {

std::string class_text(const matrix::FailureClass& failure, std::int64_t cells)
{
  const std::string where =
      failure.is_of_plans ? " where " + (failure.condition.empty() ? "anything" : failure.condition) : "";
  const std::string repro = repro_line(failure);
  return fmt::format("{} {}: {}{}\n  {}\n  {}\n", verdict_name(failure.verdict), failure.check_id,
                     count_of(cells, "cell"), where, failure.detail, repro.empty() ? failure.example_cell : repro);
}

std::string classes_text(const SubjectSummary& subject, const std::string& check, bool unexpected)
{
  std::string text;
  for (const matrix::FailureClass& failure : subject.classes)
    if (failure.check_id == check && (failure.unexpected > 0) == unexpected)
      text += class_text(failure, unexpected ? failure.unexpected : failure.cells);
  return text;
}

void add_case(pugi::xml_node suite, const SubjectSummary& subject, const CheckHeading& check, const CheckCounts& counts,
              JunitCounts& total)
{
  pugi::xml_node node = suite.append_child("testcase");
  set_junit(node, "classname", subject.name);
  set_junit(node, "name", check.title.empty() ? check.id : check.id + ": " + check.title);
  node.append_attribute("time").set_value("0");
  ++total.tests;
  if (counts.unexpected() > 0) {
    ++total.failures;
    pugi::xml_node failure = node.append_child("failure");
    set_junit(failure, "type", verdict_name(counts.worst));
    set_junit(failure, "message", count_of(counts.unexpected(), "unexpected result"));
    set_junit_text(failure, classes_text(subject, check.id, true));
  } else if (counts.passed + counts.warned + counts.expected == 0) {
    ++total.skipped;
    set_junit(node.append_child("skipped"), "message",
              "not supported or skipped on " + count_of(counts.not_supported, "cell"));
  }
  if (counts.expected > 0)
    set_junit_text(node.append_child("system-out"),
                   count_of(counts.expected, "expected failure") + "\n" + classes_text(subject, check.id, false));
}

/// Counts are only known at the end, but attributes read best in front.
void add_suite(pugi::xml_node suites, const RunSummary& summary, const SubjectSummary& subject, JunitCounts& total)
{
  pugi::xml_node suite = suites.append_child("testsuite");
  set_junit(suite, "name", subject.name);
  set_junit(suite, "timestamp", summary.run.started);
  JunitCounts counts;
  for (std::size_t i = 0; i < summary.checks.size(); ++i)
    if (!subject.checks[i].empty()) add_case(suite, subject, summary.checks[i], subject.checks[i], counts);
  set_junit_counts(suite, counts);
  total.tests += counts.tests;
  total.failures += counts.failures;
  total.skipped += counts.skipped;
}

/// For a run that is not as expected although no case failed: nothing ran, or not everything.
void add_run_suite(pugi::xml_node suites, const RunSummary& summary, JunitCounts& total)
{
  pugi::xml_node suite = suites.append_child("testsuite");
  set_junit(suite, "name", summary.run.suite);
  pugi::xml_node node = suite.append_child("testcase");
  set_junit(node, "classname", summary.run.suite);
  set_junit(node, "name", "the run is complete and has verdicts");
  set_junit(node.append_child("failure"), "message", headline(summary));
  set_junit_counts(suite, {1, 1, 0});
  ++total.tests;
  ++total.failures;
}

}  // namespace

std::string junit_xml(const RunSummary& summary)
{
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  set_junit(suites, "name", "flashgate " + summary.run.name);
  JunitCounts total;
  for (const SubjectSummary& subject : summary.subjects)
    add_suite(suites, summary, subject, total);
  if (total.failures == 0 && summary.state() != RunState::ok) add_run_suite(suites, summary, total);
  set_junit_counts(suites, total);
  return document_text(document);
}

}  // namespace flashgate::reports
