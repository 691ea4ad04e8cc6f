#include <fmt/format.h>

#include "matrix/shard_plan.h"
#include "matrix/store_file.h"
#include "matrix/store_internal.h"
#include "reference/error.h"

namespace flashgate::matrix {

CellSeconds recorded_seconds(const std::string& path, const std::string& suite)
{
  return guarded(path, [&] {
    const auto database = open_file_to_read(path);
    SQLite::Statement run(*database, "SELECT max(id) FROM run WHERE suite = ? AND finished IS NOT NULL");
    run.bind(1, suite);
    run.executeStep();
    if (run.getColumn(0).isNull()) throw Error(fmt::format("{}: has no finished run of suite {}", path, suite));
    SQLite::Statement select(*database, R"(
        SELECT cell.name, sum(e.seconds / shared.cells)
        FROM cell_execution AS c
        JOIN execution AS e ON e.id = c.execution
        JOIN (SELECT execution, count(*) AS cells FROM cell_execution WHERE run = ?1 GROUP BY execution) AS shared
          ON shared.execution = c.execution
        JOIN cell ON cell.id = c.cell
        WHERE c.run = ?1 GROUP BY cell.id)");
    select.bind(1, run.getColumn(0).getInt64());
    CellSeconds seconds;
    while (select.executeStep())
      seconds.emplace(select.getColumn(0).getString(), select.getColumn(1).getDouble());
    return seconds;
  });
}

}  // namespace flashgate::matrix
