#include <algorithm>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include <doctest/doctest.h>

#include "example_run.h"
#include "gate_example.h"
#include "matrix/build_info.h"
#include "matrix/texts.h"
#include "reports/gate_writers.h"
#include "reports/markdown_text.h"

namespace flashgate::reports {
namespace {

using tests::failed_gate;
using tests::hostile_gate;
using tests::passed_gate;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::size_t count_of_part(const std::string& text, std::string_view part)
{
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::vector<std::string> lines_of(const std::string& text)
{
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// What stands outside of code spans and fenced blocks, by CommonMark's rules for both.
std::string markdown_outside_code(const std::string& markdown)
{
  std::string outside, fence;
  for (const std::string& line : lines_of(markdown)) {
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (!fence.empty()) {
      if (ticks >= fence.size() && ticks == line.size()) fence.clear();
      continue;
    }
    if (ticks >= 3 && line.find('`', ticks) == std::string::npos) {
      fence.assign(ticks, '`');
      continue;
    }
    for (std::size_t at = 0; at < line.size();) {
      if (line[at] != '`') {
        outside += line[at++];
        continue;
      }
      const std::size_t length = std::min(line.find_first_not_of('`', at), line.size()) - at;
      std::size_t end = at + length;
      for (; end < line.size(); ++end) {
        const std::size_t run = std::min(line.find_first_not_of('`', end), line.size()) - end;
        if (run == length) break;
        if (run > 0) end += run - 1;
      }
      REQUIRE_MESSAGE(end < line.size(), "a code span that does not end: " << line.substr(0, 200));
      at = end + length;
    }
    outside += '\n';
  }
  REQUIRE(fence.empty());
  return outside;
}

/// The version of flashgate, which SARIF names, and the style of a page are not the golden file's business.
std::string without_version(std::string text)
{
  if (const std::size_t style = text.find("<style>"); style != std::string::npos)
    text.replace(style, text.find("</style>") - style, "<style>...");
  const std::string version = std::string("\"version\": \"") + matrix::build_info::kVersion + '"';
  const std::size_t at = text.find(version);
  return at == std::string::npos ? text : text.replace(at, version.size(), "\"version\": \"VERSION\"");
}

matrix::ChangeClass filler(int number)
{
  matrix::ChangeClass change;
  change.kind = matrix::ChangeKind::regression;
  change.check_id = "I" + std::to_string(number);
  change.cells = change.unexpected = 1;
  change.detail = std::string(400, 'd');
  change.example_cell = "rr_flashmask";
  return change;
}

}  // namespace

TEST_CASE("every format of a failed gate is as its golden file")
{
  const GateReport report = failed_gate();
  for (const GateFormat& format : gate_formats()) {
    const std::string text = without_version(format.write(report));
    CAPTURE(format.name);
    CHECK(text == tests::golden("gate_" + std::string(format.file), text));
    CHECK(text == without_version(format.write(report)));
  }
}

TEST_CASE("the first line says what was compared with which base")
{
  for (const GateReport& report : {failed_gate(), passed_gate()})
    for (const char* part : {"/src/fleet@release", "0123456789ab", "suite dispatch", "22,634 cells", "/src/fleet@pick"})
      CHECK_MESSAGE(contains(gate_headline(report), part), part);
  CHECK(gate_headline(failed_gate()).starts_with("FAILED: 874 cells regressed, 24 cells lost support, 1 cell unlike"));
  CHECK(gate_headline(passed_gate()).starts_with("OK: "));
}

TEST_CASE("a gate fails by each kind of damage alone, and by coverage, and by nothing else")
{
  for (int i = 0; i < matrix::kChangeKindCount; ++i) {
    GateReport report = passed_gate();
    report.comparison.classes[0].kind = static_cast<matrix::ChangeKind>(i);
    CHECK(report.fails() == matrix::fails_the_gate(static_cast<matrix::ChangeKind>(i)));
    report.comparison.classes[0].unexpected = 0;
    CHECK_FALSE(report.fails());
  }
  GateReport report = passed_gate();
  report.coverage->lines = {{"a.py", 1, 1, ""}, {"a.py", 2, 0, ""}};
  CHECK(report.fails());
  report.least_coverage = 50;
  CHECK_FALSE(report.fails());
  report.least_coverage.reset();
  report.coverage->lines[0].hits = 0;
  CHECK_FALSE(report.fails());
}

TEST_CASE("uncovered lines are named by file and line")
{
  CHECK(uncovered_text(*failed_gate().coverage) ==
        "src/paddlefleet/refined_recompute/flash_attn.py:69,75; src/b,c:d.py:4");
  CHECK(uncovered_text(*failed_gate().coverage, 1) == "src/paddlefleet/refined_recompute/flash_attn.py:69, ...");
}

TEST_CASE("SARIF has what 2.1.0 and GitHub require, and each class with the lines at which it parts")
{
  const auto log = nlohmann::json::parse(gate_sarif(failed_gate()));
  CHECK(log["version"] == "2.1.0");
  CHECK(log["$schema"].is_string());
  REQUIRE(log["runs"].size() == 1);
  const auto& run = log["runs"][0];
  CHECK(run["tool"]["driver"]["name"] == "flashgate");
  std::vector<std::string> rules;
  for (const auto& rule : run["tool"]["driver"]["rules"]) {
    rules.push_back(rule["id"]);
    CHECK_FALSE(rule["shortDescription"]["text"].get<std::string>().empty());
  }
  CHECK(std::adjacent_find(rules.begin(), rules.end()) == rules.end());
  for (const auto& result : run["results"]) {
    CHECK(std::find(rules.begin(), rules.end(), result["ruleId"]) != rules.end());
    CHECK((result["level"] == "error" || result["level"] == "warning" || result["level"] == "note"));
    CHECK(result["message"]["text"].is_string());
    CHECK(result["locations"].is_array());
    for (const auto& location : result["locations"])
      if (location.contains("physicalLocation")) {
        CHECK(location["physicalLocation"]["artifactLocation"]["uri"].is_string());
        CHECK(location["physicalLocation"]["region"]["startLine"].get<int>() > 0);
      }
  }
  CHECK(run["results"].size() == failed_gate().comparison.classes.size());  // less the fix, plus the coverage
  CHECK(run["results"][0]["locations"][2]["physicalLocation"]["artifactLocation"]["uri"] == "src/b%2Cc%3Ad.py");
  CHECK(run["results"][2]["locations"].size() == 2);
}

TEST_CASE("SARIF has at most 5,000 results")
{
  GateReport report = passed_gate();
  for (int i = 0; i < 6000; ++i)
    report.comparison.classes.push_back(filler(i));
  CHECK(nlohmann::json::parse(gate_sarif(report))["runs"][0]["results"].size() == kMostSarifResults);
}

TEST_CASE("a comment stays below 60,000 characters and says how much it leaves out")
{
  GateReport report = failed_gate();
  for (int i = 0; i < 3000; ++i)
    report.comparison.classes.push_back(filler(i));
  const std::string comment = gate_markdown(report);
  CHECK(comment.size() < kMostMarkdown);
  CHECK(comment.size() > kMostMarkdown / 2);
  CHECK(contains(comment, "more, see the gate's other reports"));
  CHECK(contains(comment, "430 cells"));
}

TEST_CASE("JUnit counts its cases, and a passed gate has no failure")
{
  pugi::xml_document failed, passed;
  REQUIRE(failed.load_string(gate_junit(failed_gate()).c_str()));
  REQUIRE(passed.load_string(gate_junit(passed_gate()).c_str()));
  const auto suite = failed.child("testsuites").child("testsuite");
  const auto cases = suite.children("testcase");
  CHECK(suite.attribute("tests").as_int() == std::distance(cases.begin(), cases.end()));
  CHECK(suite.attribute("failures").as_int() == 6);
  CHECK(failed.select_nodes("//failure").size() == 6);
  CHECK(passed.select_nodes("//failure").empty());
  CHECK(passed.child("testsuites").attribute("tests").as_int() == 4);
}

TEST_CASE("there is one annotation per class, at its deciding line")
{
  const std::vector<std::string> lines = lines_of(gate_annotations(failed_gate()));
  CHECK(lines.size() == failed_gate().comparison.classes.size() + 1);
  CHECK(lines[1].starts_with("::error file=src/paddlefleet/refined_recompute/flash_attn.py,line=69,title="));
  CHECK(lines[0].starts_with("::error title=flashgate%3A regression I3::442 cells where "));
  CHECK(lines.back().starts_with(
      "::error file=src/paddlefleet/refined_recompute/flash_attn.py,line=69,title=flashgate%3A patch"));
}

TEST_CASE("every result of SARIF has what code scanning demands: a rule, a message, a file and a line")
{
  GateReport report = failed_gate();
  for (matrix::ChangeClass& change : report.comparison.classes)
    if (change.kind == matrix::ChangeKind::support_lost) change.partings.clear();
  const auto results = nlohmann::json::parse(gate_sarif(report))["runs"][0]["results"];
  CHECK(results.size() >= 5);
  for (const auto& result : results) {
    CAPTURE(result.dump());
    CHECK(result.contains("ruleId"));
    CHECK_FALSE(result["message"]["text"].get<std::string>().empty());
    REQUIRE_FALSE(result["locations"].empty());
    for (const auto& location : result["locations"]) {
      CHECK_FALSE(location["physicalLocation"]["artifactLocation"]["uri"].get<std::string>().empty());
      CHECK(location["physicalLocation"]["region"]["startLine"] >= 1);
    }
  }
}

TEST_CASE("hostile texts stay texts in every format")
{
  for (const std::string& text : tests::hostile_texts()) {
    CAPTURE(matrix::printable(text));
    const GateReport report = hostile_gate(text);
    for (const GateFormat& format : gate_formats()) {
      CAPTURE(format.name);
      const std::string written = format.write(report);
      CHECK(matrix::find_invalid_utf8(written) == std::string::npos);
      CHECK(std::none_of(written.begin(), written.end(),
                         [](char c) { return (c >= 0 && c < 32 && c != '\n') || c == 127; }));
      CHECK(written.size() < 2'000'000);
    }
    const std::string page = gate_html(report);
    for (const std::string_view tag : {"<script", "<img", "<a ", "<svg", " onmouseover=\"", "<HTML"})
      CHECK(page.find(tag) == std::string::npos);
    CHECK(gate_markdown(report).size() < kMostMarkdown);
    CHECK(nlohmann::json::parse(gate_json(report)).is_object());
    CHECK(nlohmann::json::parse(gate_sarif(report)).is_object());
    pugi::xml_document document;
    CHECK(document.load_string(gate_junit(report).c_str()));
  }
}

TEST_CASE("nothing hostile gets out of code in a comment")
{
  const std::string clean = markdown_outside_code(gate_markdown(hostile_gate("X")));
  for (const std::string& text : tests::hostile_texts()) {
    CAPTURE(matrix::printable(text));
    if (text.size() > 10000) continue;  // fewer classes fit
    const std::string outside = markdown_outside_code(gate_markdown(hostile_gate(text)));
    CHECK(count_of_part(outside, "<") == count_of_part(clean, "<"));
    CHECK(count_of_part(outside, "@") == 0);
    CHECK(count_of_part(outside, "](") == 0);
  }
  CHECK(contains(clean, "<details>"));
}

TEST_CASE("a workflow command is one line whatever is in it, and its properties can't be added to")
{
  for (const std::string& text : {std::string("a\nb"), std::string("::set-output name=x::y\n::error::z"),
                                  std::string("a,line=9:b%0A"), std::string("\r::warning::x")}) {
    for (const std::string& line : lines_of(gate_annotations(hostile_gate(text)))) {
      CAPTURE(line);
      CHECK((line.starts_with("::error ") || line.starts_with("::warning ") || line.starts_with("::notice ")));
      const std::string properties = line.substr(2, line.find("::", 2) - 2);
      CHECK(count_of_part(properties, "line=") - count_of_part(properties, "%2Cline=") <= 1);
    }
    CHECK(lines_of(gate_annotations(hostile_gate(text))).size() == failed_gate().comparison.classes.size() + 1);
  }
}

}  // namespace flashgate::reports
