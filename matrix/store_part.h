#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace flashgate::matrix {

/// Which part of a suite a run is, or which parts a merged run was put together from: rows of table run_part.
struct RunPart
{
  std::string shard;         ///< "2/4"
  std::string whole_digest;  ///< of the selection that the parts part
  std::int64_t selected = 0;
};

/// Says that a run is one part. Saying so twice is once. The database must exist. Errors as Store's.
void insert_run_part(const std::string& path, std::int64_t run, const RunPart& part);

/// Makes table run_part in an open database that has none yet: only files with parts have it.
void make_part_table(SQLite::Database& database);

/// What merging came to.
struct MergeResult
{
  std::string run;                   ///< name of the merged run in the output
  std::vector<std::string> added;    ///< parts that were added now
  std::vector<std::string> present;  ///< parts that were there already
  std::vector<std::string> missing;  ///< parts without a finished run, with the reason
  int exit_code = 2;                 ///< the worst of the parts; 2 while one is missing
};

/// Puts the last runs of the input databases, parts of one suite, together into one run of the database `output`, which
/// is created if need be. The inputs are opened, not copied, so that what is still in their write-ahead logs counts;
/// they are not changed. A part that is not finished adds nothing and is named as missing; merging again after it was
/// resumed completes the run, and merging what is there already changes nothing.
/// Error, and an unchanged output, if an input is no part, or a part of another suite, selection, seed, commit or
/// schema than the others, or if the same part comes from two runs.
MergeResult merge_parts(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace flashgate::matrix
