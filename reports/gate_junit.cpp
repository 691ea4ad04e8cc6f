#include <fmt/format.h>

#include "reports/gate_writers.h"
#include "reports/junit_nodes.h"
#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

/// The cases of one gate, with their count.
class GateSuite
{
 public:
  explicit GateSuite(pugi::xml_node suite) : suite_(suite) {}

  pugi::xml_node add_case(std::string_view class_name, std::string_view name)
  {
    pugi::xml_node node = suite_.append_child("testcase");
    set_junit(node, "classname", class_name);
    set_junit(node, "name", name);
    node.append_attribute("time").set_value("0");
    ++counts_.tests;
    return node;
  }

  void add_failure(pugi::xml_node test, std::string_view type, std::string_view message, std::string_view text)
  {
    pugi::xml_node failure = test.append_child("failure");
    set_junit(failure, "type", type);
    set_junit(failure, "message", message);
    set_junit_text(failure, text);
    ++counts_.failures;
  }

  const JunitCounts& counts() const { return counts_; }

 private:
  pugi::xml_node suite_;
  JunitCounts counts_;
};

void add_kind(GateSuite& suite, const GateReport& report, matrix::ChangeKind kind)
{
  const std::string name(change_kind_name(kind));
  bool any = false;
  for (const matrix::ChangeClass& change : report.comparison.classes) {
    if (change.kind != kind || !change.fails()) continue;
    any = true;
    const std::string extent = class_extent(change);
    suite.add_failure(suite.add_case("gate." + name, class_name(change) + ": " + extent), name,
                      shown_text(change.detail, 600), class_text(change) + "\n" + difference_text(change));
  }
  if (!any) suite.add_case("gate." + name, "no " + name);
}

void add_coverage(GateSuite& suite, const GateReport& report)
{
  if (!report.coverage) return;
  pugi::xml_node test = suite.add_case("gate.patch_coverage", "patch coverage");
  const std::string uncovered = uncovered_text(*report.coverage);
  if (report.coverage_fails())
    suite.add_failure(test, "patch_coverage", coverage_text(report), "not covered: " + uncovered);
  else
    set_junit_text(test.append_child("system-out"), coverage_text(report));
}

/// What does not fail the gate, for whoever looks.
void add_rest(pugi::xml_node suite, const GateReport& report)
{
  std::string text;
  for (const matrix::ChangeClass& change : report.comparison.classes)
    if (!change.fails()) text += class_name(change) + ": " + class_text(change);
  if (!text.empty()) set_junit_text(suite.append_child("system-out"), text);
}

}  // namespace

std::string gate_junit(const GateReport& report)
{
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  set_junit(suites, "name", gate_headline(report));
  pugi::xml_node node = suites.append_child("testsuite");
  set_junit(node, "name", "flashgate gate " + report.head.name);
  GateSuite suite(node);
  using enum matrix::ChangeKind;
  for (const matrix::ChangeKind kind : {regression, error_moved, support_lost})
    add_kind(suite, report, kind);
  if (report.dev) add_kind(suite, report, parity);
  add_coverage(suite, report);
  add_rest(node, report);
  set_junit_counts(node, suite.counts());
  set_junit_counts(suites, suite.counts());
  return document_text(document);
}

}  // namespace flashgate::reports
