#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "matrix/store_file.h"
#include "matrix/store_history.h"
#include "matrix/store_internal.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

namespace fs = std::filesystem;

/// Columns that a later schema added and that must have a value: what the old rows meant.
struct Addition
{
  std::string_view table, column, value;
};
constexpr auto kAdditions =
    std::to_array<Addition>({{"execution", "runs", "1"}, {"metric", "promises_bits", "1"}, {"metric", "results", "1"}});

/// Rows of tables that a later schema added, as far as older rows say them.
struct Filling
{
  int since;  ///< schema version
  std::string_view sql;
};
constexpr auto kFillings = std::to_array<Filling>({
    {4,
     "INSERT INTO main.run_subject SELECT DISTINCT p.run, s.id, s.description FROM main.plan AS p "
     "JOIN main.subject AS s ON s.id = p.subject"},
    {5,
     "INSERT INTO main.execution_finding SELECT id, 0, coalesce(check_id, verdict), verdict, 'as_is', detail "
     "FROM main.execution WHERE verdict <> 'pass'"},
});

/// Filled by the program when a database is created.
constexpr auto kLookups = std::to_array<std::string_view>({"verdict_level", "check_rule"});

std::vector<std::string> tables_of(SQLite::Database& database)
{
  std::vector<std::string> tables;
  SQLite::Statement select(database, "SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY rowid");
  while (select.executeStep())
    if (const std::string name = select.getColumn(0).getString(); std::ranges::find(kLookups, name) == kLookups.end())
      tables.push_back(name);
  return tables;
}

/// What stands in a column of the new table; empty if it may be left out. Error if nobody knows.
std::string value_of(const std::string& path, const std::string& table, const TableColumn& column,
                     const std::vector<TableColumn>& old)
{
  if (std::ranges::any_of(old, [&](const TableColumn& known) { return known.name == column.name; })) return column.name;
  for (const Addition& addition : kAdditions)
    if (addition.table == table && addition.column == column.name) return std::string(addition.value);
  if (column.needs_value)
    throw Error(
        fmt::format("{}: its table {} has no column {}, which this flashgate can't fill", path, table, column.name));
  return {};
}

void copy_table(SQLite::Database& database, const std::string& path, const std::string& table)
{
  const std::vector<TableColumn> old = columns_of(database, "old", table);
  if (old.empty()) return;  // a later schema added the table
  std::string names, values;
  for (const TableColumn& column : columns_of(database, "main", table)) {
    const std::string value = value_of(path, table, column, old);
    if (value.empty()) continue;
    names += (names.empty() ? "" : ", ") + column.name;
    values += (values.empty() ? "" : ", ") + value;
  }
  database.exec(fmt::format("INSERT INTO main.{0} ({1}) SELECT {2} FROM old.{0}", table, names, values));
}

/// The schema version of a results database, whose write-ahead log is moved into the file. Error if it is none, or of a
/// newer schema.
int checked_version(const std::string& path)
{
  SQLite::Database database(path, SQLite::OPEN_READWRITE, kBusyTimeoutMs);
  if (database.execAndGet("PRAGMA application_id").getInt() != kApplicationId)
    throw Error(fmt::format("{}: a SQLite database of another program, expected a flashgate results database", path));
  const int version = database.execAndGet("PRAGMA user_version").getInt();
  if (version > kSchemaVersion)
    throw Error(fmt::format("{}: schema version {}, this flashgate knows up to {}", path, version, kSchemaVersion));
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return version;
}

void check_copy(SQLite::Database& database, const std::string& path)
{
  SQLite::Statement broken(database, "PRAGMA foreign_key_check");
  if (broken.executeStep())
    throw Error(
        fmt::format("{}: a row of table {} refers to one that is not there", path, broken.getColumn(0).getString()));
  const std::string state = database.execAndGet("PRAGMA main.integrity_check").getString();
  if (state != "ok") throw Error(fmt::format("{}: the copy is damaged: {}", path, state));
}

/// Copies the old database's rows into a new one.
void copy_database(const std::string& old, int version, const std::string& made)
{
  Store::open_or_create(made);
  SQLite::Database database(made, SQLite::OPEN_READWRITE, kBusyTimeoutMs);
  SQLite::Statement attach(database, "ATTACH ? AS old");
  attach.bind(1, old);
  attach.exec();
  {
    SQLite::Transaction transaction(database);
    for (const std::string& table : tables_of(database))
      copy_table(database, old, table);
    for (const Filling& filling : kFillings)
      if (version < filling.since) database.exec(std::string(filling.sql));
    transaction.commit();
  }
  database.exec("DETACH old");
  check_copy(database, old);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/// The old file gets a second name, then the new one takes the first: at no moment is there nothing.
void put_in_place(const std::string& made, const std::string& path, const std::string& kept)
{
  fs::create_hard_link(path, kept);
  fs::rename(made, path);
}

}  // namespace

Migration migrate_database(const std::string& path)
{
  if (!fs::is_regular_file(path)) throw Error(fmt::format("{}: no such file, expected a results database", path));
  return guarded(path, [&]() -> Migration {
    const int version = checked_version(path);
    if (version == kSchemaVersion) return {version, {}};
    const std::string kept = fmt::format("{}.v{}", path, version), made = path + ".migrating";
    if (fs::exists(kept)) throw Error(fmt::format("{}: {} is there already, move it away first", path, kept));
    std::error_code ignored;
    fs::remove(made, ignored);
    try {
      copy_database(path, version, made);
      put_in_place(made, path, kept);
    } catch (const fs::filesystem_error& error) {
      throw Error(fmt::format("{}: {}", path, error.code().message()));
    } catch (...) {
      fs::remove(made, ignored);
      throw;
    }
    return {version, kept};
  });
}

}  // namespace flashgate::matrix
