#pragma once

#include <string>
#include <vector>

namespace flashgate::matrix {

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
/// schema than the others, if the same part comes from two runs, or if the output is the database of a part.
MergeResult merge_parts(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace flashgate::matrix
