#include "matrix/store_internal.h"

// Which lines of a real subject's source ran.

namespace flashgate::matrix {

void Store::insert_coverage(std::int64_t run, const CoverageRow& row)
{
  writing([&](Statements&) {
    Insert(*database_, "coverage_line", {"run", "subject", "file", "line", "hits", "example_cell"})(
        run, row.subject, row.file, row.line, row.hits, unless_zero(row.example_cell));
  });
}

std::vector<CoverageRow> Store::coverage(std::int64_t run, std::int64_t subject)
{
  return guarded(path_, [&] {
    std::vector<CoverageRow> rows;
    SQLite::Statement select(*database_,
                             "SELECT subject, file, line, hits, coalesce(example_cell, 0), coalesce(cell.name, '') "
                             "FROM coverage_line LEFT JOIN cell ON cell.id = example_cell "
                             "WHERE run = ? AND subject = ? ORDER BY file, line");
    SQLite::bind(select, run, subject);
    while (select.executeStep())
      rows.push_back({select.getColumn(0).getInt64(), select.getColumn(1).getString(), select.getColumn(2).getInt(),
                      select.getColumn(3).getInt64(), select.getColumn(4).getInt64(), select.getColumn(5).getString()});
    return rows;
  });
}

}  // namespace flashgate::matrix
