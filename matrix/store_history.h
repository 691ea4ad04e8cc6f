#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flashgate::matrix {

/// What a migration did.
struct Migration
{
  int from = 0;      ///< schema version that the file had
  std::string kept;  ///< where the old file is now; empty if it was of this version already, and nothing was done
};

/// Brings a database of an older schema to this one: everything is copied into a new file, which is checked and then
/// takes the old one's place; the old one stays as "PATH.vN". Killed at any moment, there is a whole database at PATH.
/// Error, and an unchanged file, if it is of a newer schema, no results database, or holds what can't be carried over.
Migration migrate_database(const std::string& path);

/// Removes all but the last `keep` runs of each suite, with everything that only they had, and returns the space to the
/// file system. Returns the names of the runs that went. REQUIRES: keep > 0.
std::vector<std::string> prune_database(const std::string& path, std::int64_t keep);

}  // namespace flashgate::matrix
