#include "matrix/side_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/dispatch/kernel_ops.h"

namespace flashgate::matrix {
namespace {

const std::string kRefusal = "not_supported";

bool is_refusal(const sim::PlanError& error)
{
  return error.kind.text() == kRefusal || error.kind.text() == "NotImplementedError";
}

std::string launch_text(std::string_view name, const sim::Launch& launch)
{
  return fmt::format("{} v{} {}({})", name, launch.version, launch.kernel.text(), launch.arity);
}

void add_part(std::string& text, const std::string& part) { text += (text.empty() ? "" : ", ") + part; }

std::string rank_range(std::size_t first, std::size_t last)
{
  return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, last);
}

/// One text for all ranks where they agree, else one per range of equal ranks.
std::string route_of_all(const std::vector<std::string>& ranks)
{
  if (std::equal(ranks.begin() + 1, ranks.end(), ranks.begin())) return ranks.front();
  std::string text;
  for (std::size_t first = 0, last = 0; first < ranks.size(); first = ++last) {
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[first])
      ++last;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", rank_range(first, last), ranks[first]);
  }
  return text;
}

/// The rows of one cell, one per rank.
CellResult make_result(const std::vector<PlanRow>& rows, std::size_t begin, std::size_t end)
{
  CellResult result;
  std::vector<std::string> routes;
  for (std::size_t i = begin; i < end; ++i) {
    const sim::RankPlan& plan = rows[i].plan;
    routes.push_back(route_text(plan));
    result.traces.push_back(rows[i].trace);
    if (result.error_phase == sim::Phase::none && plan.error) {
      result.error_phase = plan.error.phase;
      result.error = fmt::format("{}: {}", plan.error.kind.text(), plan.error.message.text());
    }
    result.refused = result.refused || is_refusal(plan.error);
  }
  result.end = route_end(rows[begin].plan);
  result.route = route_of_all(routes);
  return result;
}

bool is_flip(const Cell& cell) { return cell[AxisId::flip] != 0; }

using CellsById = std::unordered_map<std::int64_t, CellResult*>;

/// A cell without a plan has a verdict that says why.
CellsById add_cells(Store& store, std::int64_t run, const SubjectRecord& subject, Side& side)
{
  CellsById by_id;
  std::unordered_map<std::int64_t, bool> flips;
  for (const auto& [id, name] : store.answered_cells(run, subject.id)) {
    const Cell cell = parse_cell(name);
    by_id.emplace(id, &side.cells[cell]);
    flips.emplace(id, is_flip(cell));
  }
  const std::vector<PlanRow> rows = store.plans(run, subject.id);
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].cell == rows[begin].cell)
      ++end;
    CellResult& result = *by_id.at(rows[begin].cell) = make_result(rows, begin, end);
    result.flip_refused = flips.at(rows[begin].cell) && result.error_phase == sim::Phase::second_forward;
  }
  return by_id;
}

void add_failures(Store& store, std::int64_t run, const SubjectRecord& subject, const CellsById& by_id)
{
  for (const VerdictRow& row : store.verdict_rows(run)) {
    if (row.subject != subject.id || !is_failure(row.verdict)) continue;
    by_id.at(row.cell)->failures.push_back({row.check_id, row.verdict, is_excuse(row.outcome), row.detail});
  }
}

}  // namespace

std::string route_text(const sim::RankPlan& plan)
{
  std::string text;
  if (plan.forward) add_part(text, launch_text("forward", plan.forward));
  if (plan.second_forward && plan.second_forward.version != plan.forward.version)
    add_part(text, fmt::format("second forward v{}", plan.second_forward.version));
  if (plan.handed_version != 0 && plan.handed_version != plan.backward.version)
    add_part(text, fmt::format("hands {} on", plan.handed_version));
  if (plan.backward) add_part(text, launch_text("backward", plan.backward));
  if (plan.error) add_part(text, fmt::format("fails in {}", phase_name(plan.error.phase).text()));
  return text.empty() ? "nothing" : text;
}

std::string route_end(const sim::RankPlan& plan)
{
  if (plan.error) return fmt::format("{} {}", phase_name(plan.error.phase).text(), plan.error.kind.text());
  return fmt::format("{} / {}", sim::version_name(plan.forward.version).text(),
                     sim::version_name(plan.backward.version).text());
}

Side read_side(Store& store, std::int64_t run, const SubjectRecord& subject)
{
  Side side;
  side.subject = subject.name;
  side.description = subject.description;
  const CellsById by_id = add_cells(store, run, subject, side);
  add_failures(store, run, subject, by_id);
  for (ExecutedCell& row : store.executed_cells(run, subject.id))
    if (const auto cell = by_id.find(row.cell); cell != by_id.end())
      cell->second->executions.push_back({std::move(row.execution), std::move(row.figures)});
  side.traces = store.traces(run, subject.id);
  return side;
}

}  // namespace flashgate::matrix
