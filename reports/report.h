#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "matrix/store.h"
#include "reports/cell_history.h"
#include "reports/summary.h"

namespace flashgate::reports {

/// More runs than this are no history of a cell but a database.
inline constexpr std::size_t kMostOlderRuns = 10;

/// The earlier finished runs of the run's suite in its own database, newest first, at most kMostOlderRuns.
std::vector<HistorySource> older_runs(matrix::Store& store, const matrix::RunRecord& run);

/// Writes the report of one run into `folder`, which is made if need be: index.html, summary.md, junit.xml,
/// failures.csv and graphs/SUBJECT.dot and .svg. Each file is replaced as a whole and index.html last, so a kill leaves
/// the old page or the new one. `history` are older runs of the suite, newest first, for changes, histories and trends.
/// Returns what could not be done, a line each. Throws Error with one line that names the file that could not be
/// written.
std::vector<std::string> write_report(matrix::Store& store, const RunSummary& summary,
                                      const std::filesystem::path& folder, const std::vector<HistorySource>& history);

/// As above, with the history that the run's own database has.
std::vector<std::string> write_report(matrix::Store& store, const RunSummary& summary,
                                      const std::filesystem::path& folder);
std::vector<std::string> write_report(matrix::Store& store, const matrix::RunRecord& run,
                                      const std::filesystem::path& folder);

}  // namespace flashgate::reports
