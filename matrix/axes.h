#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/dispatch/request.h"

namespace flashgate::matrix {

struct Cell;

/// The axes of the dispatch matrix, in the order of table `cell`'s columns.
enum class AxisId : std::uint8_t {
  path,
  flag_version,
  device,
  v4_import,
  deterministic,
  head_dim,
  signature,
  config_version,
  config_deterministic,
  mask_columns,
  cp_size,
  rank_skew,
  flip,
  cute_gradients,
  training,
  dropout,
  scale,
  causal_direct
};
inline constexpr int kAxisCount = 18;

/// One value of an axis: its text, and the number or numbers it stands for.
struct AxisValue
{
  std::string_view text;
  int number = 0;
  int second = 0;  ///< head_dim only: the value head dim
};

/// One axis. A row of the table in axes.cpp is the only place where it is declared: command line, cell names, store
/// columns, report headings and docs are made from it.
struct Axis
{
  AxisId id;
  std::string_view name;
  std::string_view help;
  bool core;                      ///< part of the core that every suite `dispatch` enumerates exhaustively
  std::vector<AxisValue> values;  ///< the default first
  void (*apply)(sim::Request&, const AxisValue&);  ///< writes the value into a request; called in table order
  int (*default_index)(const Cell&);               ///< nullptr: index 0; else depends on `path` and `flip` alone
};

/// All axes, indexed by AxisId.
const std::vector<Axis>& axes();

const Axis& axis(AxisId id);

/// The axis of that name; empty if there is none.
std::optional<AxisId> find_axis(std::string_view name);

/// Index of the value with that text ("64/64" is "64"); empty if the axis has none such.
std::optional<int> find_value(const Axis& axis, std::string_view text);

/// The columns of the store that an axis fills: its name; for head_dim also head_dim_v.
struct AxisColumn
{
  std::string_view name;
  AxisId axis;
  bool second;   ///< the value head dim
  bool integer;  ///< INTEGER in the store (cp_size); every other column is TEXT
};
const std::vector<AxisColumn>& axis_columns();

/// A cell's text in a column, for example "192" in head_dim and "128" in head_dim_v.
std::string_view column_text(const AxisColumn& column, const Cell& cell);

}  // namespace flashgate::matrix
