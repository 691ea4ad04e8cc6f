#include "matrix/store_watch.h"

#include <fmt/format.h>

#include "matrix/store_file.h"
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

std::vector<std::int64_t> intern_tests(const std::string& path, const std::vector<std::string>& names)
{
  return guarded(path, [&] {
    const auto database = open_file_to_write(path);
    SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement insert(*database, insert_test_sql());
    SQLite::Statement find(*database, "SELECT id FROM cell WHERE name = ?");
    std::vector<std::int64_t> ids;
    for (const std::string& name : names) {
      const std::string cell = "test:" + name;
      insert.bindNoCopy(1, cell);
      insert.exec();
      insert.reset();
      find.bindNoCopy(1, cell);
      find.executeStep();
      ids.push_back(find.getColumn(0).getInt64());
      find.reset();
    }
    transaction.commit();
    return ids;
  });
}

}  // namespace flashgate::matrix
