#pragma once

#include <optional>
#include <string>
#include <vector>

#include "matrix/cell.h"
#include "sim/dispatch/subject.h"

namespace flashgate::matrix {

/// A cell on which a check fails.
struct ProbeFailure
{
  Cell cell;
  std::string check_id;
  std::string detail;  ///< the finding
};

/// Asks `subject` for the cells, in order and many at a time, until a check fails: the one with that index (see
/// checks()), or any if it is -1. Throws Error if it could not be asked for a cell (verdict error) and no check fails
/// on another.
std::optional<ProbeFailure> probe(const sim::Subject& subject, const std::vector<Cell>& cells, int check);

/// All cells on which the check fails. Cells that the subject could not be asked for are none; Error if there was no
/// other.
std::vector<Cell> failing_cells(const sim::Subject& subject, const std::vector<Cell>& cells, int check);

}  // namespace flashgate::matrix
