#include "matrix/store_internal.h"

// A run in numbers.

namespace flashgate::matrix {
namespace {

void count_plans(SQLite::Database& database, RunFigures& figures)
{
  SQLite::Statement select(database,
                           "SELECT count(*), coalesce(sum(verdict = 'pass'), 0) FROM plan WHERE run = ? AND rank = 0");
  select.bind(1, figures.run.id);
  if (!select.executeStep()) return;
  figures.cells = select.getColumn(0).getInt64();
  figures.passing = select.getColumn(1).getInt64();
}

void count_failures(SQLite::Database& database, RunFigures& figures)
{
  SQLite::Statement select(database,
                           "SELECT check_id, outcome, count(*) FROM verdict JOIN verdict_level USING (verdict) "
                           "WHERE run = ? AND is_failure GROUP BY check_id, outcome");
  select.bind(1, figures.run.id);
  while (select.executeStep()) {
    const Outcome outcome = stored_outcome(select.getColumn(1).getString());
    const std::int64_t failing = select.getColumn(2).getInt64();
    if (!is_excuse(outcome)) figures.failures[select.getColumn(0).getString()] += failing;
    if (outcome == Outcome::flake || outcome == Outcome::known_flake) figures.flakes += failing;
  }
}

void find_worst_ratio(SQLite::Database& database, RunFigures& figures)
{
  SQLite::Statement select(
      database,
      "SELECT coalesce(max(bound_ratio), -1) FROM metric JOIN execution ON execution.id = execution "
      "WHERE run = ? AND verdict <> 'warn'");
  select.bind(1, figures.run.id);
  if (select.executeStep()) figures.worst_ratio = select.getColumn(0).getDouble();
}

}  // namespace

RunFigures Store::figures(const RunRecord& run)
{
  return guarded(path_, [&] {
    RunFigures figures;
    figures.run = run;
    count_plans(*database_, figures);
    count_failures(*database_, figures);
    find_worst_ratio(*database_, figures);
    return figures;
  });
}

}  // namespace flashgate::matrix
