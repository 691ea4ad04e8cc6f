#pragma once

#include <string>
#include <vector>

#include "matrix/stored_matrix.h"

namespace flashgate::reports {

/// What an older run of the same suite said of the cells of the newest one: only where it differs from the next newer
/// one of the list, since most cells never change.
struct OlderRun
{
  std::string run;       ///< its name
  std::string database;  ///< file name; empty for the newest run's own
  std::string started;
  std::vector<int> rows;      ///< indices into StoredMatrix::rows, ascending
  std::vector<int> verdicts;  ///< what it said there; -1: no verdict
};

/// An older run and the database that it is in, newest first.
struct HistorySource
{
  matrix::Store* store = nullptr;
  matrix::RunRecord run;
  std::string database;
};

/// The history of every row of `matrix`, newest first, one entry per source.
std::vector<OlderRun> cell_history(const matrix::StoredMatrix& matrix, const std::vector<HistorySource>& sources);

}  // namespace flashgate::reports
