#include "matrix/store.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <sqlite3.h>

#include "matrix/store_file.h"
#include "matrix/store_internal.h"
#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {

extern const std::string_view kSchemaSql;  // schema.sql, embedded by the build

namespace {

void replace_all(std::string& text, std::string_view marker, const std::string& by)
{
  for (std::size_t at = 0; (at = text.find(marker, at)) != std::string::npos; at += by.size())
    text.replace(at, marker.size(), by);
}

/// schema.sql with its markers replaced by the axes' columns.
std::string schema()
{
  std::string definitions;
  std::string names;
  for (const AxisColumn& column : axis_columns()) {
    definitions += fmt::format(",\n  {} {} NOT NULL", column.name, column.integer ? "INTEGER" : "TEXT");
    names += fmt::format(", cell.{}", column.name);
  }
  std::string text(kSchemaSql);
  replace_all(text, "/* axis definitions */", definitions);
  replace_all(text, "/* axis columns */", names);
  return text;
}

void fill_verdict_levels(SQLite::Database& database)
{
  Insert insert(database, "verdict_level", {"verdict", "level", "is_failure"});
  for (int level = 0; level <= static_cast<int>(Verdict::missing); ++level) {
    const auto verdict = static_cast<Verdict>(level);
    insert(verdict_name(verdict), level, is_failure(verdict));
  }
}

/// Lists the checks that a database does not have yet. Error if one of its bits means another check than here.
void fill_check_rules(SQLite::Database& database, const std::string& path)
{
  const auto& rules = checks();
  std::vector<bool> present(rules.size());
  SQLite::Statement known(database, "SELECT bit, check_id FROM check_rule");
  while (known.executeStep()) {
    const auto bit = static_cast<std::size_t>(known.getColumn(0).getInt());
    const std::string id = known.getColumn(1).getString();
    if (bit >= rules.size() || rules[bit].id != id)
      throw Error(fmt::format("{}: check {} has bit {} in it, which this flashgate does not know so", path, id, bit));
    present[bit] = true;
  }
  Insert insert(database, "check_rule", {"bit", "check_id", "title"}, kKeepOld);
  for (std::size_t bit = 0; bit < rules.size(); ++bit)
    if (!present[bit]) insert(static_cast<std::int64_t>(bit), rules[bit].id, rules[bit].title);
}

bool is_empty(SQLite::Database& database)
{
  return database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
}

/// The schema and both marks in the header appear in one transaction, and in the file itself rather than in a
/// write-ahead log: a process killed in between leaves a file that counts as empty.
void create_schema(SQLite::Database& database, const std::string& path)
{
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (!is_empty(database)) return;  // another process was faster
  database.exec(fmt::format("PRAGMA user_version = {}; PRAGMA application_id = {};", kSchemaVersion, kApplicationId));
  database.exec(schema());
  fill_verdict_levels(database);
  fill_check_rules(database, path);
  transaction.commit();
}

/// Error if the cells have other columns than the axes have here: the same version can't be told apart otherwise.
void check_axes(SQLite::Database& database, const std::string& path)
{
  std::string expected = "id,name", found;
  for (const AxisColumn& column : axis_columns())
    expected += fmt::format(",{}", column.name);
  for (const TableColumn& column : columns_of(database, "main", "cell"))
    found += (found.empty() ? "" : ",") + column.name;
  if (found != expected)
    throw Error(fmt::format("{}: its cells have columns {}, expected {}", path, printable(found), expected));
}

/// SQLite's busy timeout does not hold for this step: while another process creates the database, or switches it too,
/// it fails at once.
std::string switch_to_write_ahead_log(SQLite::Database& database)
{
  const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  while (true) {
    try {
      return database.execAndGet("PRAGMA journal_mode = WAL").getString();
    } catch (const SQLite::Exception& exception) {
      if (exception.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() >= patience) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void use_write_ahead_log(SQLite::Database& database, const std::string& path)
{
  const std::string mode = switch_to_write_ahead_log(database);
  if (mode != "wal") throw Error(fmt::format("{}: journal mode {}, expected wal (a local disk)", path, mode));
}

std::string_view explanation(int code)
{
  switch (code) {
    case SQLITE_FULL:
      return "the disk is full; what was committed before is kept";
    case SQLITE_IOERR:
      return "the disk cannot be read or written; what was committed before is kept";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "locked by another process";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "cannot be written";
    case SQLITE_CANTOPEN:
      return "cannot be opened";
    case SQLITE_CONSTRAINT:
      return "refuses a row";
    case SQLITE_NOTADB:
      return "not a SQLite database, expected a flashgate results database";
    case SQLITE_CORRUPT:
      return "damaged, expected a flashgate results database";
    default:
      return "SQLite failed";
  }
}

}  // namespace

void throw_store_error(const std::string& path, const SQLite::Exception& exception)
{
  throw Error(fmt::format("{}: {} ({})", path, explanation(exception.getErrorCode()), printable(exception.what())));
}

Store Store::open_or_create(const std::string& path)
{
  return guarded(path, [&] {
    auto database = open_file_to_write(path);
    database->exec("PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;");
    if (is_empty(*database)) create_schema(*database, path);
    check_identity(*database, path);
    check_axes(*database, path);
    use_write_ahead_log(*database, path);
    fill_check_rules(*database, path);
    Store store(std::move(database), path);
    store.statements_ = std::make_unique<Statements>(*store.database_);
    return store;
  });
}

Store Store::open_read_only(const std::string& path)
{
  return guarded(path, [&] {
    auto database = open_file_to_read(path);
    check_identity(*database, path);
    check_axes(*database, path);
    return Store(std::move(database), path);
  });
}

Store::Store(std::unique_ptr<SQLite::Database> database, std::string path)
    : path_(std::move(path)), database_(std::move(database))
{
}

Store::Store(Store&&) noexcept = default;
Store::~Store() = default;

Store::Statements& Store::writable()
{
  if (!statements_) throw Error(fmt::format("{}: opened for reading only", path_));
  return *statements_;
}

void Store::roll_back() noexcept
{
  if (!statements_->in_transaction) return;
  statements_->in_transaction = false;
  statements_->known_traces.clear();
  database_->tryExec("ROLLBACK");  // fails if SQLite has rolled back already, as it does when the disk is full
}

void Store::begin()
{
  // Immediate: a transaction that starts by reading can't wait for another writer later on, it would just fail.
  writing([&](Statements& statements) {
    database_->exec("BEGIN IMMEDIATE");
    statements.in_transaction = true;
  });
}

void Store::commit()
{
  writing([&](Statements& statements) {
    database_->exec("COMMIT");
    statements.in_transaction = false;
  });
}

}  // namespace flashgate::matrix
