#include <memory>

#include "matrix/store_internal.h"

// What the store hands out to be compared with another run.

namespace flashgate::matrix {
namespace {

sim::Launch read_launch(SQLite::Statement& row, const char* version, const char* kernel, const char* arity)
{
  sim::Launch launch;
  launch.version = row.getColumn(version).getInt();
  launch.kernel = sim::Symbol(row.getColumn(kernel).getString());
  launch.arity = row.getColumn(arity).getInt();
  return launch;
}

PlanRow read_plan(SQLite::Statement& row)
{
  PlanRow plan;
  plan.cell = row.getColumn("cell").getInt64();
  plan.rank = row.getColumn("rank").getInt();
  plan.trace = row.getColumn("trace").getInt64();
  plan.plan.forward = read_launch(row, "forward_version", "forward_kernel", "forward_arity");
  plan.plan.second_forward.version = row.getColumn("second_version").getInt();
  plan.plan.handed_version = row.getColumn("handed_version").getInt();
  plan.plan.backward = read_launch(row, "backward_version", "backward_kernel", "backward_arity");
  plan.plan.lse_version = row.getColumn("lse_version").getInt();
  plan.plan.error.phase = stored_phase(row.getColumn("error_phase").getString());
  plan.plan.error.kind = sim::Symbol(row.getColumn("error_kind").getString());
  plan.plan.error.message = sim::Symbol(row.getColumn("error_message").getString());
  return plan;
}

/// Columns phase, decision and outcome, from `first` on.
sim::TraceStep read_step(SQLite::Statement& row, int first)
{
  return {stored_phase(row.getColumn(first).getString()), sim::Symbol(row.getColumn(first + 1).getString()),
          sim::Symbol(row.getColumn(first + 2).getString())};
}

/// Every figure of an execution that two equal runs agree on: all but its time.
constexpr const char* kExecutedCells = R"(
    SELECT c.cell, e.name,
           e.backend || ' ' || e.verdict || coalesce((
             SELECT group_concat(' ' || m.tensor || ' ' || m.max_abs || ' ' || m.max_rel || ' ' || m.bound_ratio ||
                                 ' ' || m.nonfinite_count || ' ' || coalesce(m.worst_index, '') || ' ' ||
                                 coalesce(m.ulp_histogram, ''))
             FROM (SELECT * FROM metric WHERE execution = e.id ORDER BY tensor) AS m), '') AS figures
    FROM cell_execution AS c JOIN execution AS e ON e.id = c.execution
    WHERE c.run = ? AND c.subject = ? ORDER BY c.cell, e.name)";

}  // namespace

std::vector<std::pair<std::int64_t, std::string>> Store::answered_cells(std::int64_t run, std::int64_t subject)
{
  return guarded(path_, [&] {
    std::vector<std::pair<std::int64_t, std::string>> cells;
    SQLite::Statement select(*database_,
                             "SELECT id, name FROM cell WHERE id IN "
                             "(SELECT cell FROM plan WHERE run = ?1 AND subject = ?2 UNION ALL "
                             " SELECT cell FROM verdict WHERE run = ?1 AND subject = ?2) ORDER BY id");
    SQLite::bind(select, run, subject);
    while (select.executeStep())
      cells.emplace_back(select.getColumn(0).getInt64(), select.getColumn(1).getString());
    return cells;
  });
}

std::vector<PlanRow> Store::plans(std::int64_t run, std::int64_t subject)
{
  return guarded(path_, [&] {
    std::vector<PlanRow> rows;
    SQLite::Statement select(*database_, "SELECT * FROM plan WHERE run = ? AND subject = ? ORDER BY cell, rank");
    SQLite::bind(select, run, subject);
    while (select.executeStep())
      rows.push_back(read_plan(select));
    return rows;
  });
}

std::unordered_map<std::int64_t, std::vector<sim::TraceStep>> Store::traces(std::int64_t run, std::int64_t subject)
{
  return guarded(path_, [&] {
    std::unordered_map<std::int64_t, std::vector<sim::TraceStep>> traces;
    SQLite::Statement select(*database_,
                             "SELECT trace, phase, decision, outcome FROM trace_step WHERE trace IN "
                             "(SELECT trace FROM plan WHERE run = ? AND subject = ?) ORDER BY trace, step");
    SQLite::bind(select, run, subject);
    while (select.executeStep())
      traces[select.getColumn(0).getInt64()].push_back(read_step(select, 1));
    return traces;
  });
}

RankTraces Store::rank_traces(std::int64_t run, const std::string& subject, const std::string& cell)
{
  return guarded(path_, [&] {
    RankTraces ranks;
    SQLite::Statement select(*database_,
                             "SELECT rank, phase, decision, outcome FROM plan LEFT JOIN trace_step USING (trace) "
                             "WHERE run = ? AND subject = (SELECT id FROM subject WHERE name = ?) "
                             "AND cell = (SELECT id FROM cell WHERE name = ?) ORDER BY rank, step");
    SQLite::bind(select, run, subject, cell);
    while (select.executeStep()) {
      ranks.resize(static_cast<std::size_t>(select.getColumn(0).getInt()) + 1);
      if (!select.getColumn(1).isNull()) ranks.back().push_back(read_step(select, 1));
    }
    return ranks;
  });
}

std::vector<ExecutedCell> Store::executed_cells(std::int64_t run, std::int64_t subject)
{
  return guarded(path_, [&] {
    std::vector<ExecutedCell> cells;
    SQLite::Statement select(*database_, kExecutedCells);
    SQLite::bind(select, run, subject);
    while (select.executeStep())
      cells.push_back(
          {select.getColumn(0).getInt64(), select.getColumn(1).getString(), select.getColumn(2).getString()});
    return cells;
  });
}

}  // namespace flashgate::matrix
