#pragma once

#include <cstddef>
#include <vector>

#include "matrix/cell_set.h"

namespace flashgate::matrix {

/// What speaks against a condition that is to name failing cells.
struct Contrast
{
  CellSet passing;         ///< none of these may be covered
  CellSet unanswered{{}};  ///< these may be covered, but a condition does not grow for their sake
};

/// A conjunction and the cells that it covers first.
struct Cover
{
  Condition condition;
  std::vector<std::size_t> cells;  ///< indices into `failing`
};

/// Conjunctions that together cover every cell of `failing`, few and short ones. Each starts from a failing cell, gives
/// up whole axes first, then admits further values; greedily the cover of most cells is taken. The same input gives the
/// same covers.
std::vector<Cover> find_covers(const std::vector<Cell>& failing, const Contrast& contrast);

}  // namespace flashgate::matrix
