#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "matrix/store.h"
#include "reports/summary.h"

namespace flashgate::reports {

/// Writes the report of one run into `folder`, which is made if need be: index.html, summary.md, junit.xml,
/// failures.csv and graphs/SUBJECT.dot and .svg. Each file is replaced as a whole and index.html last, so a kill leaves
/// the old page or the new one. Throws Error with one line that names the file that could not be written.
std::vector<std::string> write_report(matrix::Store& store, const matrix::RunRecord& run,
                                      const std::filesystem::path& folder);

/// As above, with the summary that the caller has already loaded.
std::vector<std::string> write_report(matrix::Store& store, const RunSummary& summary,
                                      const std::filesystem::path& folder);

}  // namespace flashgate::reports
