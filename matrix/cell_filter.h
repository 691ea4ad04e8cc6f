#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "matrix/cell.h"

namespace flashgate::matrix {

/// Part `index` of `count`, from 1.
struct Shard
{
  int index = 1;
  int count = 1;
};

/// Parses "I/N", 1 <= I <= N; throws Error with what was expected.
Shard parse_shard(std::string_view text);

/// The shard, from 1 to `count`, of the cell of this name by its hash.
int hashed_shard(const std::string& name, int count);

/// What the user narrows an enumeration to. Regular expressions (ECMAScript) match anywhere in the cell's name.
struct CellFilter
{
  std::string include;  ///< empty: every cell
  std::string exclude;  ///< empty: no cell
};

/// The cells that pass the filter, in their order. Throws Error if an expression is no valid one, or too complex.
std::vector<Cell> filter_cells(const std::vector<Cell>& cells, const CellFilter& filter);

}  // namespace flashgate::matrix
