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
                           "SELECT check_id, sum(verdict IN (SELECT verdict FROM verdict_level WHERE is_failure) AND "
                           "outcome NOT IN ('expected_fail', 'known_flake')), "
                           "sum(outcome IN ('flake', 'known_flake')) FROM verdict WHERE run = ? GROUP BY check_id");
  select.bind(1, figures.run.id);
  while (select.executeStep()) {
    const std::int64_t failing = select.getColumn(1).getInt64();
    if (failing > 0) figures.failures[select.getColumn(0).getString()] = failing;
    figures.flakes += select.getColumn(2).getInt64();
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
