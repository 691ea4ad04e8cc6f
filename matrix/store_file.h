#pragma once

#include <memory>
#include <string>

namespace SQLite {
class Database;
}

// The file behind a Store, before and while SQLite opens it. Nothing here opens the file by other means than SQLite:
// closing a descriptor of one's own would drop the locks that another Store of this process holds on it.

namespace flashgate::matrix {

/// Marks a SQLite file as flashgate's in its header (PRAGMA application_id): "flga".
inline constexpr int kApplicationId = 0x666C6761;

/// Opens `path` for writing; a new or empty file becomes an empty database. Error, with the file left as it was, if it
/// is not a results database of this schema, or if file or folder can't be written.
std::unique_ptr<SQLite::Database> open_file_to_write(const std::string& path);

/// Opens `path` so that no statement can change it. Works in a folder that can't be written.
std::unique_ptr<SQLite::Database> open_file_to_read(const std::string& path);

/// Error unless the open database calls itself a results database of this schema.
void check_identity(SQLite::Database& database, const std::string& path);

}  // namespace flashgate::matrix
