#include <fmt/format.h>

#include "matrix/store_internal.h"

namespace flashgate::matrix {
namespace {

/// INSERT of a cell that is no combination: its name, and nothing in the axes' columns.
std::string insert_test_sql()
{
  std::string columns, values;
  for (const AxisColumn& column : axis_columns()) {
    columns += fmt::format(", {}", column.name);
    values += ", ''";
  }
  return fmt::format("INSERT INTO cell (name{}) VALUES (?{}) {}", columns, values, kKeepOld);
}

}  // namespace

std::vector<std::int64_t> Store::intern_tests(const std::vector<std::string>& names)
{
  return writing([&](Statements& statements) {
    std::optional<SQLite::Transaction> own;
    if (!statements.in_transaction) own.emplace(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement insert(*database_, insert_test_sql());
    std::vector<std::int64_t> ids;
    for (const std::string& name : names) {
      const std::string cell = std::string(kTestPrefix) + name;
      insert.bindNoCopy(1, cell);
      insert.exec();
      insert.reset();
      statements.find_cell.tryReset();
      statements.find_cell.bindNoCopy(1, cell);
      statements.find_cell.executeStep();
      ids.push_back(statements.find_cell.getColumn(0).getInt64());
    }
    if (own) own->commit();
    return ids;
  });
}

}  // namespace flashgate::matrix
