#include "matrix/store_file.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "matrix/store_internal.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

namespace fs = std::filesystem;

/// A Store belongs to one thread, so SQLite need not lock for every column that is read.
const int kOwnThread = SQLite::OPEN_NOMUTEX;

std::string wal_of(const std::string& path) { return path + "-wal"; }

/// SQLite's special names (":memory:", "file:...") mean files of these names here.
std::string absolute(const std::string& path) { return fs::absolute(path).string(); }

/// An URI that opens the file as it is: without locks, journal or write-ahead log.
std::string immutable_uri(const std::string& path)
{
  std::string uri = "file:";
  for (const char c : absolute(path)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("/-_.~", c) != nullptr;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1";
}

std::unique_ptr<SQLite::Database> open_immutable(const std::string& path)
{
  return std::make_unique<SQLite::Database>(immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI | kOwnThread);
}

bool may(const std::string& path, int mode) { return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0; }

/// The folder that holds the file itself, behind symbolic links: there SQLite puts the write-ahead log.
std::string folder_of(const std::string& path)
{
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(fs::absolute(path), ignored);
  return (ignored ? fs::absolute(path) : real).parent_path().string();
}

/// True if there is a file with content; Error if there is something that is not a file.
bool has_content(const std::string& path)
{
  if (path.empty()) throw Error("no name given for the results database");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (status.type() == fs::file_type::none) throw Error(fmt::format("{}: {}", path, error.message()));
  if (status.type() == fs::file_type::directory)
    throw Error(fmt::format("{}: is a folder, expected a results database", path));
  if (status.type() != fs::file_type::regular)
    throw Error(fmt::format("{}: is not a regular file, expected a results database", path));
  return fs::file_size(path) != 0;
}

void check_folder(const std::string& path)
{
  const std::string folder = folder_of(path);
  if (!fs::is_directory(folder)) throw Error(fmt::format("{}: its folder {} does not exist", path, folder));
  if (!may(folder, W_OK | X_OK))
    throw Error(fmt::format("{}: its folder {} cannot be written: {}", path, folder, std::strerror(errno)));
}

void check_readable(const std::string& path)
{
  if (!may(path, R_OK)) throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
}

/// Reads the header without taking part in locking, so that a file of somebody else is not touched in any way.
void check_header(const std::string& path)
{
  check_readable(path);
  try {
    check_identity(*open_immutable(path), path);
  } catch (const SQLite::Exception& exception) {
    // Shorter than its header says: another process is just creating it, or was killed while it did. Opening it with
    // locks waits or recovers, and whoever opens it checks again.
    if (exception.getErrorCode() != SQLITE_CORRUPT) throw;
  }
}

int pragma(SQLite::Database& database, const char* name)
{
  return database.execAndGet(fmt::format("PRAGMA {}", name)).getInt();
}

/// True if the database can be read; false if it needs a file beside it (-shm) that can't be made.
bool answers(SQLite::Database& database)
{
  const int result = database.tryExec("SELECT count(*) FROM sqlite_master");
  return result != SQLITE_CANTOPEN && result != SQLITE_READONLY;
}

}  // namespace

std::vector<TableColumn> columns_of(SQLite::Database& database, const std::string& schema, const std::string& table)
{
  std::vector<TableColumn> columns;
  SQLite::Statement select(database, "SELECT name, \"notnull\" AND dflt_value IS NULL FROM pragma_table_info(?, ?)");
  SQLite::bind(select, table, schema);
  while (select.executeStep())
    columns.push_back({select.getColumn(0).getString(), select.getColumn(1).getInt() != 0});
  return columns;
}

void check_identity(SQLite::Database& database, const std::string& path)
{
  const int version = pragma(database, "user_version");
  if (pragma(database, "application_id") != kApplicationId)
    throw Error(fmt::format("{}: a SQLite database of another program, expected a flashgate results database", path));
  if (version == kSchemaVersion) return;
  throw Error(fmt::format("{}: schema version {}, this flashgate reads and writes {}{}", path, version, kSchemaVersion,
                          version < kSchemaVersion ? "; `flashgate migrate` brings it there" : ""));
}

std::unique_ptr<SQLite::Database> open_file_to_write(const std::string& path)
{
  if (has_content(path)) check_header(path);
  check_folder(path);
  if (fs::exists(path) && !may(path, W_OK))
    throw Error(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  return std::make_unique<SQLite::Database>(absolute(path), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | kOwnThread,
                                            kBusyTimeoutMs);
}

std::unique_ptr<SQLite::Database> open_file_to_read(const std::string& path)
{
  const bool content = has_content(path);
  if (!fs::exists(path)) throw Error(fmt::format("{}: no such file, expected a results database", path));
  if (!content) throw Error(fmt::format("{}: is empty, expected a results database", path));
  check_header(path);

  // A connection that may write removes its -wal and -shm when it is the last to close; one opened read-only would
  // leave them behind. query_only keeps statements from writing.
  if (may(path, W_OK) && may(folder_of(path), W_OK | X_OK)) {
    auto database =
        std::make_unique<SQLite::Database>(absolute(path), SQLite::OPEN_READWRITE | kOwnThread, kBusyTimeoutMs);
    database->exec("PRAGMA query_only = ON");
    return database;
  }
  // Without a write-ahead log the file is all there is. Making one here would leave it behind as a file of this user's,
  // and keep the database's owner from writing.
  const std::string wal = wal_of(path);
  if (!fs::exists(wal)) return open_immutable(path);
  auto database =
      std::make_unique<SQLite::Database>(absolute(path), SQLite::OPEN_READONLY | kOwnThread, kBusyTimeoutMs);
  if (answers(*database)) return database;
  if (fs::file_size(wal) == 0) return open_immutable(path);
  throw Error(fmt::format("{}: was not closed properly, and its folder cannot be written; copy it and {} elsewhere",
                          path, fs::path(wal).filename().string()));
}

}  // namespace flashgate::matrix
