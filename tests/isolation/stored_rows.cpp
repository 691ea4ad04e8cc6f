#include "tests/isolation/stored_rows.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace flashgate::tests {
namespace {

std::vector<std::string> texts(SQLite::Database& database, const std::string& sql)
{
  std::vector<std::string> rows;
  SQLite::Statement select(database, sql);
  while (select.executeStep())
    rows.push_back(select.getColumn(0).getString());
  return rows;
}

/// The columns of a table that equal runs have in common.
std::vector<std::string> columns_of(SQLite::Database& database, const std::string& table)
{
  return texts(database, "SELECT name FROM pragma_table_info('" + table +
                             "') WHERE name NOT IN ('started', 'finished', 'seconds', 'options')");
}

}  // namespace

std::vector<std::string> stored_rows(const std::string& file)
{
  SQLite::Database database(file, SQLite::OPEN_READWRITE);
  std::vector<std::string> rows;
  for (const std::string& table : texts(database, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")) {
    std::string text = "'" + table + "'";
    for (const std::string& column : columns_of(database, table))
      text += " || '|' || coalesce(" + table + "." + column + ", '-')";
    for (std::string& row : texts(database, "SELECT " + text + " FROM " + table + " ORDER BY 1"))
      rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace flashgate::tests
