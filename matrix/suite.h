#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matrix/cell.h"

namespace flashgate::matrix {

/// An axis and the values (indices) that a selection takes of it. With one value the axis is pinned.
struct AxisValues
{
  AxisId axis;
  std::vector<int> values;  ///< not empty, no value twice
};

/// The axis with all its values.
AxisValues every_value(const Axis& axis);

enum class SelectionKind {
  product,     ///< every combination of the values of `axes`
  array,       ///< a covering array of `strength` over `axes`
  each_value,  ///< for each value of each of `axes`, none of the core: an array of `strength` over the core axes, that
               ///< value pinned, on the paths where it is not the default
  cells        ///< the cells as listed
};

/// One part of a suite. An axis that is not in `axes` is at the default of the cell's path and flip.
struct Selection
{
  SelectionKind kind = SelectionKind::product;
  std::vector<AxisValues> axes;  ///< empty for kind `cells`
  int strength = 2;              ///< of kinds array and each_value: 1 ... kLargestStrength
  std::vector<Cell> cells;       ///< of kind `cells`; allowed by the constraints, no cell twice
  std::string where;             ///< "file:line", for messages
};

inline constexpr int kLargestStrength = 4;

/// What a suite executes of the plans that its cells led to.
struct ExecutionOptions
{
  int strength = 2;        ///< of the covering array over the numerics axes: 1 ... kLargestStrength
  std::int64_t limit = 0;  ///< most executions; 0: no limit
  std::string backend;     ///< empty: the best there is
  std::string evidence;    ///< "L1" or "L2", on a backend that has levels; empty: what it gives unasked

  /// Executions at L2, where the backend has levels: those that show most, until every pair of values that executions
  /// have is among them, or so many. 0: none.
  std::int64_t l2_limit = 0;

  // How workers are kept in check; docs/isolation.md.
  double timeout_seconds = 60;          ///< longest time without progress of a cheap case
  std::int64_t memory_mib = 4096;       ///< most resident memory of a worker
  std::int64_t cases_per_worker = 500;  ///< after so many a worker is replaced
};

/// A named selection of cells, as read from a TOML file; docs/suites.md describes the format.
struct Suite
{
  std::string name;
  std::string description;
  std::string expectations;           ///< suite whose -fails, -flakes and -skips files apply; "none": no expectations
  std::vector<Selection> selections;  ///< not empty; those of the suite that this one extends come first
  std::optional<ExecutionOptions> executions;  ///< empty: plans are judged, nothing is executed
  std::vector<AxisValues> pinned;              ///< one value each; holds in every selection but those of kind `cells`
};

/// The names of the suites in `folder`, sorted. Throws Error if the folder can't be read.
std::vector<std::string> suite_names(const std::string& folder);

/// Loads the suite of that name from `folder`. A name that contains '/' or ends in ".toml" is the path of a file of the
/// user's own, and the suite is then named as the file without ".toml"; `extends` in it is looked up in `folder`.
///
/// Throws Error with one line: "file:line: what was found, what was expected", or for an unknown name the known ones.
Suite load_suite(const std::string& folder, const std::string& name);

}  // namespace flashgate::matrix
