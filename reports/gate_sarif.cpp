#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include <fmt/format.h>

#include "matrix/build_info.h"
#include "reports/gate_writers.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"

namespace flashgate::reports {
namespace {

using Json = nlohmann::ordered_json;

/// A relative path as a URI reference: what is neither unreserved nor '/' is percent-encoded.
std::string path_uri(std::string_view path)
{
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string uri;
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json physical_location(const matrix::SourcePlace& place)
{
  return {{"artifactLocation", {{"uri", path_uri(shown_text(place.file, 400))}, {"uriBaseId", "%SRCROOT%"}}},
          {"region", {{"startLine", place.line}}}};
}

/// Code scanning takes no result without a physical location. Where no line of a source decides (a model, a cell
/// without a result), this stands for it, and the decision is named by the logical location.
Json no_file() { return {{"artifactLocation", {{"uri", "no-source-line"}}}, {"region", {{"startLine", 1}}}}; }

Json location(const matrix::Parting& parting, const std::string& subject)
{
  Json place;
  place["physicalLocation"] = parting.place() ? physical_location(parting.place()) : no_file();
  const matrix::Decision& decision = parting.head.text.empty() ? parting.base : parting.head;
  place["logicalLocations"] = Json::array(
      {{{"fullyQualifiedName", fmt::format("{}: {}", shown_text(subject, 300), shown_text(decision.text, 300))}}});
  place["message"]["text"] = deciding_text(parting);
  return place;
}

bool is_finding(const matrix::ChangeClass& change)
{
  return change.kind != matrix::ChangeKind::fix && change.kind != matrix::ChangeKind::support_gained;
}

std::string rule_id(const matrix::ChangeClass& change)
{
  std::string id(change_kind_name(change.kind));
  return change.check_id.empty() ? id : id + "/" + shown_text(change.check_id, 40);
}

Json class_result(const matrix::ChangeClass& change)
{
  Json result;
  result["ruleId"] = rule_id(change);
  result["level"] = severity_name(severity_of(change));
  result["baselineState"] = change.kind == matrix::ChangeKind::unchanged_failure ? "unchanged" : "new";
  result["message"]["text"] = class_name(change) + ": " + class_text(change);
  result["locations"] = Json::array();
  for (const matrix::PartingPlace& place : change.partings)
    if (!deciding_text(place.parting).empty())
      result["locations"].push_back(location(place.parting, change.head_subject));
  if (result["locations"].empty()) result["locations"].push_back({{"physicalLocation", no_file()}});
  result["partialFingerprints"]["flashgateClass/v1"] =
      fmt::format("{} {} {}", rule_id(change), shown_text(change.condition, 300), shown_text(change.detail, 300));
  result["properties"] = {{"cells", change.cells},
                          {"unexpected", change.unexpected},
                          {"example", change.example_cell},
                          {"repro", repro_line(change.example_cell, shown_text(change.head_subject, 1000))}};
  return result;
}

Json coverage_result(const GateReport& report)
{
  Json result;
  result["ruleId"] = "patch_coverage";
  result["level"] = report.coverage_fails() ? "error" : "note";
  result["message"]["text"] = coverage_text(report) + ", not covered: " + uncovered_text(*report.coverage);
  result["locations"] = Json::array();
  for (const matrix::PatchLine& line : report.coverage->lines)
    if (line.hits == 0 && result["locations"].size() < 1000)
      result["locations"].push_back({{"physicalLocation", physical_location({line.file, line.line})}});
  return result;
}

Json results_of(const GateReport& report)
{
  Json results = Json::array();
  if (report.coverage && report.coverage->covered() < static_cast<std::int64_t>(report.coverage->lines.size()))
    results.push_back(coverage_result(report));
  for (const matrix::ChangeClass& change : report.comparison.classes)
    if (is_finding(change) && results.size() < kMostSarifResults) results.push_back(class_result(change));
  return results;
}

/// What a rule is about, from the kind before the slash of its id.
std::string rule_text(const std::string& id)
{
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTexts{
      {{"regression", "a check fails that did not fail at the base, or fails worse"},
       {"error_moved", "what failed in forward at the base fails in backward"},
       {"support_lost", "a request that the base served is refused"},
       {"parity", "the pick does not do as dev does"},
       {"results_changed", "same route, but an execution's figures differ"},
       {"route_changed", "other kernel versions, arguments or error than at the base"},
       {"unchanged_failure", "a check fails as it did at the base"},
       {"patch_coverage", "changed lines that no cell ran"}}};
  const auto* known = std::find_if(kTexts.begin(), kTexts.end(),
                                   [&](const auto& text) { return id.substr(0, id.find('/')) == text.first; });
  return known == kTexts.end() ? id : std::string(known->second);
}

Json rules_of(const Json& results)
{
  std::set<std::string> ids;
  for (const Json& result : results)
    ids.insert(result["ruleId"].get<std::string>());
  Json rules = Json::array();
  for (const std::string& id : ids)
    rules.push_back({{"id", id}, {"shortDescription", {{"text", rule_text(id)}}}});
  return rules;
}

}  // namespace

std::string gate_sarif(const GateReport& report)
{
  Json run;
  const Json results = results_of(report);
  run["tool"]["driver"] = {
      {"name", "flashgate"}, {"version", matrix::build_info::kVersion}, {"rules", rules_of(results)}};
  run["properties"]["headline"] = gate_headline(report);
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = results;
  const Json log{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return log.dump(2) + "\n";
}

}  // namespace flashgate::reports
