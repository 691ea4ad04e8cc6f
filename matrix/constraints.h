#pragma once

#include <string_view>
#include <vector>

#include "matrix/cell.h"

namespace flashgate::matrix {

/// A rule that keeps cells out of the matrix because they mean nothing, never because a subject fails on them.
struct Constraint
{
  std::string_view name;      ///< "rr_flash_takes_no_mask"
  std::string_view reason;    ///< one sentence, under which the cells that it excludes are counted
  std::vector<AxisId> reads;  ///< every axis that `allows` looks at, so that a partial cell can be judged early
  bool (*allows)(const Cell&);
};

/// All constraints, in the order in which they are asked.
const std::vector<Constraint>& constraints();

/// The reason of the first constraint that excludes the cell; empty if the cell is allowed.
std::string_view excluded_by(const Cell& cell);

}  // namespace flashgate::matrix
