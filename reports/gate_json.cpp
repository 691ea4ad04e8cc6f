#include <nlohmann/json.hpp>

#include "reports/gate_writers.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"

namespace flashgate::reports {
namespace {

using Json = nlohmann::ordered_json;

/// JSON carries every text, but it must be UTF-8.
std::string utf8(std::string_view text) { return shown_text(text, 4000, true); }

Json side_json(const GateSide& side)
{
  return {{"name", utf8(side.name)},   {"subject", utf8(side.subject)}, {"commit", utf8(side.commit)},
          {"suite", utf8(side.suite)}, {"run", utf8(side.run)},         {"cells", side.cells}};
}

Json decision_json(const matrix::Decision& decision)
{
  if (decision.text.empty()) return nullptr;
  Json json{{"phase", phase_name(decision.phase).text()},
            {"decision", utf8(decision.text)},
            {"outcome", utf8(decision.outcome)}};
  if (decision.place) json.update({{"file", utf8(decision.place.file)}, {"line", decision.place.line}});
  return json;
}

Json partings_json(const matrix::ChangeClass& change)
{
  Json all = Json::array();
  for (const matrix::PartingPlace& place : change.partings)
    all.push_back({{"base", decision_json(place.parting.base)},
                   {"head", decision_json(place.parting.head)},
                   {"same", place.parting.same},
                   {"cells", place.cells}});
  return all;
}

Json class_json(const matrix::ChangeClass& change)
{
  return {{"kind", change_kind_name(change.kind)},
          {"check", utf8(change.check_id)},
          {"severity", severity_name(severity_of(change))},
          {"fails", change.fails()},
          {"verdict", verdict_name(change.verdict)},
          {"base_subject", utf8(change.base_subject)},
          {"head_subject", utf8(change.head_subject)},
          {"condition", utf8(change.condition)},
          {"detail", utf8(change.detail)},
          {"cells", change.cells},
          {"unexpected", change.unexpected},
          {"example", change.example_cell},
          {"base_route", utf8(change.base_route)},
          {"head_route", utf8(change.head_route)},
          {"decided_by", partings_json(change)},
          {"repro", utf8(repro_line(change.example_cell, change.head_subject))}};
}

Json coverage_json(const GateReport& report)
{
  if (!report.coverage) return nullptr;
  Json lines = Json::array();
  for (const matrix::PatchLine& line : report.coverage->lines)
    lines.push_back(
        {{"file", utf8(line.file)}, {"line", line.line}, {"hits", line.hits}, {"example", utf8(line.example_cell)}});
  Json json{{"percent", report.coverage->percent()}, {"covered", report.coverage->covered()}, {"lines", lines}};
  json["least_percent"] = report.least_coverage ? Json(*report.least_coverage) : Json(nullptr);
  return json;
}

}  // namespace

std::string gate_json(const GateReport& report)
{
  Json json{{"headline", gate_headline(report)},
            {"fails", report.fails()},
            {"base", side_json(report.base)},
            {"head", side_json(report.head)}};
  json["dev"] = report.dev ? side_json(*report.dev) : Json(nullptr);
  for (int i = 0; i < matrix::kChangeKindCount; ++i)
    json["cells"][std::string(change_kind_name(static_cast<matrix::ChangeKind>(i)))] = report.comparison.cells[i];
  json["classes"] = Json::array();
  for (const matrix::ChangeClass& change : report.comparison.classes)
    json["classes"].push_back(class_json(change));
  json["patch_coverage"] = coverage_json(report);
  return json.dump(2) + "\n";
}

}  // namespace flashgate::reports
