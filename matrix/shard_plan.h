#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "matrix/cell.h"

namespace flashgate::matrix {

/// Seconds by cell name.
using CellSeconds = std::unordered_map<std::string, double>;

/// What each cell took in the last finished run of a suite in the database at `path`: its executions' times, each
/// shared by all cells that it answers for. Errors as Store's, and if there is no such run.
CellSeconds recorded_seconds(const std::string& path, const std::string& suite);

/// The shard, from 1 to `count`, of each cell of a whole suite, such that the shards' times differ little: the slowest
/// cells are dealt out first, each to the shard that has least so far. Cells without a record go by a hash of their
/// name, as all do without any record. Depends on the suite and the record alone, so that filters move no cell.
std::vector<int> plan_shards(const std::vector<Cell>& cells, const CellSeconds& seconds, int count);

}  // namespace flashgate::matrix
