#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "matrix/store_internal.h"
#include "reference/error.h"
#include "sim/dispatch/kernel_ops.h"

// What the store counts and groups before it hands it out.

namespace flashgate::matrix {
namespace {

std::vector<sim::TraceStep> read_trace(SQLite::Statement& select, const SQLite::Column& trace)
{
  std::vector<sim::TraceStep> steps;
  if (trace.isNull()) return steps;
  select.reset();
  select.bind(1, trace.getInt64());
  while (select.executeStep())
    steps.push_back({stored_phase(select.getColumn(0).getString()), sim::Symbol(select.getColumn(1).getString()),
                     sim::Symbol(select.getColumn(2).getString())});
  return steps;
}

/// A field of a CSV row (RFC 4180).
std::string csv_field(const std::string& text)
{
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// Plans that took the same route, per verdict: the route's rows follow each other, the first plan's route first.
constexpr const char* kRouteCounts = R"(
    WITH counted AS (
      SELECT trace, forward_version, backward_version, error_phase, error_kind, verdict, count(*) AS plans,
             min(cell) AS first_cell, min(cell * 64 + rank) AS first_plan
      FROM plan WHERE run = ?1 AND subject = ?2
        AND (?3 = '' OR cell IN (SELECT id FROM cell WHERE path = ?3))
      GROUP BY trace, forward_version, backward_version, error_phase, error_kind, verdict)
    SELECT trace, forward_version, backward_version, error_phase, error_kind, counted.verdict, plans, cell.name,
           min(first_plan) OVER same_route AS route_start
    FROM counted
    JOIN cell ON cell.id = first_cell
    JOIN verdict_level ON verdict_level.verdict = counted.verdict
    WINDOW same_route AS (PARTITION BY trace, forward_version, backward_version, error_phase, error_kind)
    ORDER BY route_start, trace, forward_version, backward_version, error_phase, error_kind, level DESC)";

/// View verdicts, counted. Plans are grouped by their bit sets before these are expanded, which is ten times faster
/// than to expand every plan; passes that table verdict overrules are taken off afterwards.
constexpr const char* kVerdictCounts = R"(
    WITH counted AS (
      SELECT subject, check_id, verdict, outcome, count(*) AS cells
      FROM verdict WHERE run = ?1 GROUP BY subject, check_id, verdict, outcome
      UNION ALL
      SELECT subject, check_id, 'pass', 'as_is', sum(plans)
      FROM (SELECT subject, passed_checks, count(*) AS plans FROM plan WHERE run = ?1 AND rank = 0 GROUP BY 1, 2)
      JOIN check_rule ON passed_checks >> bit & 1
      GROUP BY subject, check_id
      UNION ALL
      SELECT v.subject, v.check_id, 'pass', 'as_is', -count(*)
      FROM verdict AS v
      JOIN check_rule AS c ON c.check_id = v.check_id
      JOIN plan AS p ON p.run = v.run AND p.subject = v.subject AND p.cell = v.cell AND p.rank = 0
      WHERE v.run = ?1 AND p.passed_checks >> c.bit & 1
      GROUP BY v.subject, v.check_id)
    SELECT subject, check_id, counted.verdict, outcome, sum(cells)
    FROM counted
    JOIN verdict_level ON verdict_level.verdict = counted.verdict
    LEFT JOIN check_rule USING (check_id)
    GROUP BY subject, check_id, counted.verdict, outcome
    HAVING sum(cells) > 0
    ORDER BY subject, bit IS NULL, bit, check_id, level, outcome)";

}  // namespace

std::string end_of_route(int forward, int backward, const std::string& error_phase, const std::string& error_kind)
{
  if (!error_phase.empty()) return fmt::format("{} {}", error_phase, error_kind);
  return fmt::format("{} / {}", sim::version_name(forward).text(), sim::version_name(backward).text());
}

sim::Phase stored_phase(const std::string& name)
{
  using enum sim::Phase;
  for (const sim::Phase phase : {none, import, forward, second_forward, backward})
    if (phase_name(phase).text() == name) return phase;
  throw Error(fmt::format("phase \"{}\" in the database, which this flashgate does not know", name));
}

std::vector<RouteRow> Store::routes(std::int64_t run, std::int64_t subject, const std::string& path)
{
  return guarded(path_, [&] {
    std::vector<RouteRow> routes;
    std::int64_t last_start = -1;
    SQLite::Statement steps(*database_,
                            "SELECT phase, decision, outcome FROM trace_step WHERE trace = ? ORDER BY step");
    SQLite::Statement select(*database_, kRouteCounts);
    SQLite::bind(select, run, subject, path);
    while (select.executeStep()) {
      const std::int64_t start = select.getColumn("route_start").getInt64();
      if (start != last_start) {  // the worst verdict of a route comes first
        RouteRow& route = routes.emplace_back();
        route.steps = read_trace(steps, select.getColumn("trace"));
        route.end = end_of_route(select.getColumn(1), select.getColumn(2), select.getColumn(3), select.getColumn(4));
        route.worst = stored_verdict(select.getColumn(5));
        route.example_cell = select.getColumn(7).getString();
      }
      routes.back().plans += select.getColumn("plans").getInt64();
      last_start = start;
    }
    return routes;
  });
}

std::vector<VerdictCount> Store::verdict_counts(std::int64_t run)
{
  return guarded(path_, [&] {
    std::vector<VerdictCount> counts;
    SQLite::Statement select(*database_, kVerdictCounts);
    select.bind(1, run);
    while (select.executeStep())
      counts.push_back({select.getColumn(0).getInt64(), select.getColumn(1).getString(),
                        stored_verdict(select.getColumn(2)), stored_outcome(select.getColumn(3)),
                        select.getColumn(4).getInt64()});
    return counts;
  });
}

void Store::failures_csv(std::int64_t run, const std::function<void(const std::string&)>& write_line)
{
  guarded(path_, [&] {
    SQLite::Statement select(*database_,
                             "SELECT * FROM failures WHERE run = (SELECT name FROM run WHERE id = ?) "
                             "ORDER BY subject, cell, check_id");
    select.bind(1, run);
    std::string line;
    for (int i = 0; i < select.getColumnCount(); ++i)
      line += fmt::format("{}{}", i == 0 ? "" : ",", csv_field(select.getColumnName(i)));
    write_line(line);
    while (select.executeStep()) {
      line.clear();
      for (int i = 0; i < select.getColumnCount(); ++i)
        line += fmt::format("{}{}", i == 0 ? "" : ",", csv_field(select.getColumn(i).getString()));
      write_line(line);
    }
  });
}

}  // namespace flashgate::matrix
