#include <fmt/format.h>

#include "matrix/store_file.h"
#include "matrix/store_history.h"
#include "matrix/store_internal.h"

namespace flashgate::matrix {
namespace {

/// The ids of all but the last `keep` runs of each suite, as a subquery.
std::string old_runs(std::int64_t keep)
{
  return fmt::format(
      "(SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY suite ORDER BY id DESC) AS age FROM run) "
      "WHERE age > {})",
      keep);
}

/// Tables whose rows belong to a run.
std::vector<std::string> tables_of_runs(SQLite::Database& database)
{
  std::vector<std::string> tables;
  SQLite::Statement select(database,
                           "SELECT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c "
                           "WHERE m.type = 'table' AND c.name = 'run' ORDER BY m.name = 'execution', m.name");
  while (select.executeStep())
    tables.push_back(select.getColumn(0).getString());
  return tables;
}

void remove_runs(SQLite::Database& database, const std::string& old)
{
  for (const char* table : {"metric", "execution_finding"})
    database.exec(
        fmt::format("DELETE FROM {} WHERE execution IN (SELECT id FROM execution WHERE run IN {})", table, old));
  for (const std::string& table : tables_of_runs(database))  // executions last: others refer to them
    database.exec(fmt::format("DELETE FROM {} WHERE run IN {}", table, old));
  database.exec(fmt::format("DELETE FROM run WHERE id IN {}", old));
}

/// What no remaining run refers to. A run that is not finished may be about to.
void remove_leftovers(SQLite::Database& database)
{
  if (database.execAndGet("SELECT count(*) FROM run WHERE finished IS NULL").getInt() > 0) return;
  database.exec(
      "DELETE FROM trace_step WHERE trace NOT IN (SELECT trace FROM plan WHERE trace IS NOT NULL);"
      "DELETE FROM cell WHERE id NOT IN (SELECT cell FROM plan UNION SELECT cell FROM verdict UNION "
      "SELECT cell FROM incident WHERE cell IS NOT NULL UNION SELECT cell FROM cell_execution UNION "
      "SELECT example_cell FROM coverage_line WHERE example_cell IS NOT NULL);"
      "DELETE FROM subject WHERE id NOT IN (SELECT subject FROM plan UNION SELECT subject FROM verdict UNION "
      "SELECT subject FROM incident WHERE subject IS NOT NULL UNION SELECT subject FROM cell_execution UNION "
      "SELECT subject FROM coverage_line UNION SELECT subject FROM run_subject)");
}

}  // namespace

std::vector<std::string> prune_database(const std::string& path, std::int64_t keep)
{
  Store::open_read_only(path);  // it exists and is ours
  return guarded(path, [&] {
    const auto database = open_file_to_write(path);
    database->exec("PRAGMA foreign_keys = ON");
    std::vector<std::string> gone;
    {
      SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
      const std::string old = old_runs(keep);
      SQLite::Statement select(*database, fmt::format("SELECT name FROM run WHERE id IN {} ORDER BY id", old));
      while (select.executeStep())
        gone.push_back(select.getColumn(0).getString());
      select.reset();
      if (gone.empty()) return gone;
      remove_runs(*database, old);
      remove_leftovers(*database);
      transaction.commit();
    }
    database->exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    return gone;
  });
}

}  // namespace flashgate::matrix
