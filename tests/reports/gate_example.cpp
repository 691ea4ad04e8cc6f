#include "gate_example.h"

namespace flashgate::tests {
namespace {

using matrix::ChangeClass;
using matrix::ChangeKind;
using matrix::Decision;
using matrix::DifferenceLine;
using matrix::Verdict;
using reports::GateReport;
using sim::Phase;

constexpr const char* kFile = "src/paddlefleet/refined_recompute/flash_attn.py";

ChangeClass change_of(ChangeKind kind, const std::string& check, std::int64_t cells)
{
  ChangeClass change;
  change.kind = kind;
  change.check_id = check;
  change.verdict = Verdict::fail;
  change.base_subject = "fleet:/src/fleet@release";
  change.head_subject = "fleet:/src/fleet@pick";
  change.condition = "flag_version=4 v4_available=no deterministic=on head_dim>128";
  change.cells = change.unexpected = cells;
  change.example_cell = "rr_flashmask/flag_version=4,deterministic=on,head_dim=136";
  change.base_route = "forward v2 flashmask_attention(10), backward v2 flashmask_attention_grad(10)";
  change.head_route = "forward v3 flashmask_attention_v2(7), backward v3 flashmask_attention_v2_grad(10)";
  return change;
}

ChangeClass seed_regression()
{
  ChangeClass change = change_of(ChangeKind::regression, "I4", 430);
  change.detail = "deterministic, but forward 3 where v3 is not deterministic, expected 2";
  const Decision base{Phase::forward, "deterministic and hdim > 128", "yes", {kFile, 61}};
  const Decision head{Phase::forward, "version == 3", "no", {kFile, 69}};
  const Decision other{Phase::second_forward, "version == 3", "no", {kFile, 75}};
  change.partings = {{{base, head, false}, 400}, {{{}, other, false}, 30}};
  using Sign = DifferenceLine::Sign;
  change.difference = {{Sign::both, {Phase::forward, "is xpu", "no", {kFile, 60}}},
                       {Sign::base, base},
                       {Sign::head, head},
                       {Sign::head, {Phase::forward, "launches", "v3", {}}}};
  return change;
}

ChangeClass model_regression()
{
  ChangeClass change = change_of(ChangeKind::regression, "I3", 442);
  change.base_subject = "model:fleet-c";
  change.head_subject = "model:fleet-d";
  change.detail = "forward v2 accepted, backward raises ValueError";
  change.example_cell = "cp_flashmask/flag_version=4,deterministic=on,signature=legacy";
  change.head_route = "forward v2 flashmask_attention(10), hands 4 on, fails in bwd (ValueError: 4)";
  change.partings = {{{{}, {Phase::forward, "Fleet: version is 3", "no", {}}, false}, 442}};
  return change;
}

ChangeClass described(ChangeClass change, const std::string& detail)
{
  change.detail = detail;
  return change;
}

ChangeClass expected_regression()
{
  ChangeClass change = change_of(ChangeKind::regression, "I6", 3);
  change.unexpected = 0;
  change.detail = "a fault that is known";
  return change;
}

ChangeClass missing_cells()
{
  ChangeClass change = change_of(ChangeKind::regression, "missing", 2);
  change.verdict = Verdict::missing;
  change.detail = "no result at head";
  change.head_route.clear();
  return change;
}

void count(GateReport& report)
{
  for (const ChangeClass& change : report.comparison.classes) {
    report.comparison.cells[static_cast<std::size_t>(change.kind)] += change.cells;
    report.comparison.unexpected[static_cast<std::size_t>(change.kind)] += change.unexpected;
  }
  report.comparison.cells[static_cast<std::size_t>(ChangeKind::unchanged)] = 20000;
}

GateReport sides()
{
  GateReport report;
  report.base = {"/src/fleet@release",
                 "fleet:/src/fleet@release",
                 "0123456789ab Settle the version",
                 "dispatch-7",
                 "dispatch",
                 22634};
  report.head = {
      "/src/fleet@pick", "fleet:/src/fleet@pick", "ba9876543210 Guard the rule", "dispatch-7", "dispatch", 22634};
  return report;
}

void replace_texts(Decision& decision, const std::string& text)
{
  if (!decision.text.empty()) decision.text = decision.outcome = text;
  if (decision.place) decision.place.file = text;
}

void replace_texts(ChangeClass& change, const std::string& text)
{
  change.detail = change.base_route = change.head_route = change.head_subject = change.base_subject = text;
  if (!change.check_id.empty()) change.check_id = text;
  for (matrix::PartingPlace& place : change.partings) {
    replace_texts(place.parting.base, text);
    replace_texts(place.parting.head, text);
  }
  for (DifferenceLine& line : change.difference)
    replace_texts(line.decision, text);
}

}  // namespace

GateReport failed_gate()
{
  GateReport report = sides();
  report.dev = report.base;
  report.dev->name = report.dev->subject = "model:fleet-d";
  report.comparison.classes = {model_regression(),
                               seed_regression(),
                               missing_cells(),
                               described(change_of(ChangeKind::support_lost, "", 24), "v2 / v2 → fwd not_supported"),
                               described(change_of(ChangeKind::parity, "", 1), "dev: v3 / v3; pick: v2 / v2"),
                               expected_regression(),
                               described(change_of(ChangeKind::route_changed, "", 25), "v2 / v2 → v4 / v4"),
                               described(change_of(ChangeKind::unchanged_failure, "I9", 11), "dropout is ignored"),
                               described(change_of(ChangeKind::fix, "I5", 933), "refused, though v4 exists")};
  report.coverage = {
      {{kFile, 60, 5, "rr_flashmask"}, {kFile, 69, 0, ""}, {kFile, 75, 0, ""}, {"src/b,c:d.py", 4, 0, ""}}};
  report.least_coverage = 90;
  count(report);
  return report;
}

GateReport passed_gate()
{
  GateReport report = sides();
  report.comparison.classes = {described(change_of(ChangeKind::fix, "I4", 430), "deterministic on v3")};
  report.coverage = matrix::PatchCoverage{};
  report.least_coverage = 90;
  count(report);
  return report;
}

GateReport hostile_gate(const std::string& text)
{
  GateReport report = failed_gate();
  for (reports::GateSide* side : {&report.base, &report.head, &*report.dev})
    side->name = side->subject = side->commit = text;
  for (ChangeClass& change : report.comparison.classes)
    replace_texts(change, text);
  for (matrix::PatchLine& line : report.coverage->lines)
    line.file = text;
  report.graphs = {{text, ""}};
  return report;
}

}  // namespace flashgate::tests
