#pragma once

#include <string>
#include <vector>

#include "matrix/cell_filter.h"
#include "matrix/enumerator.h"
#include "matrix/run_options.h"
#include "matrix/store.h"
#include "matrix/subjects.h"
#include "matrix/suite.h"

namespace flashgate::matrix {

/// What a run is about: the suite, its cells after the filters, and the subjects.
struct RunSelection
{
  Suite suite;
  Enumeration enumeration;
  std::vector<Cell> cells;
  std::vector<SubjectPtr> subjects;
  std::vector<Cell> whole;        ///< of a shard: the cells that all shards together have; else empty
  std::string whole_digest;       ///< of a shard: digest of them and of who has which
  std::string backend, evidence;  ///< asked for by name; empty: as the suite says

  /// The cells that executions are selected for: those of all shards, so that the shards' executions are together
  /// those of a run without shards.
  const std::vector<Cell>& cells_of_all_shards() const { return whole.empty() ? cells : whole; }
};

/// Loads and enumerates the suite of `options`, filters its cells and finds its subjects. Throws Error on bad input.
RunSelection select(const RunOptions& options);

/// A hash of the names of cells, subjects, backend and evidence, 32 hexadecimal digits: equal selections have equal
/// digests.
std::string digest(const RunSelection& selection);

/// The record of a run that starts now; id and name are the store's to fill in.
RunRecord make_run_record(const RunOptions& options, const RunSelection& selection);

}  // namespace flashgate::matrix
