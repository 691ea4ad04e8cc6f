#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "matrix/axes.h"

namespace flashgate::matrix {

/// One combination of axis values, as the index of each axis's value. The zero cell is not the default cell of every
/// path: use default_cell().
struct Cell
{
  std::array<std::uint8_t, kAxisCount> values{};

  std::uint8_t operator[](AxisId id) const { return values[static_cast<std::size_t>(id)]; }
  std::uint8_t& operator[](AxisId id) { return values[static_cast<std::size_t>(id)]; }
  auto operator<=>(const Cell&) const = default;
};

inline sim::Path path_of(const Cell& cell)
{
  return static_cast<sim::Path>(axes()[0].values[cell[AxisId::path]].number);
}

/// Gives every axis but path and flip, where `is_set` is false, the default it has under the cell's path and flip.
void fill_defaults(Cell& cell, const std::array<bool, kAxisCount>& is_set);

/// The cell of `path` (an index of that axis) with everything else at its default.
Cell default_cell(int path_index);

/// The canonical name: the path, then what differs from its default, in the order of the axes:
/// "rr_flashmask/flag_version=4,v4_import=no,head_dim=192/128". parse_cell(cell_name(c)) == c for every cell.
std::string cell_name(const Cell& cell);

/// Parses a name; values may be given in any order and may equal the default. Throws Error with one line that says what
/// was expected. Does not ask whether the constraints allow the cell.
Cell parse_cell(std::string_view name);

/// The cell as numbers, as a dispatcher sees it (rank 0).
sim::Request to_request(const Cell& cell);

}  // namespace flashgate::matrix
