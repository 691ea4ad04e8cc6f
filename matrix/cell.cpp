#include "matrix/cell.h"

#include <fmt/format.h>

#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

int default_of(const Axis& axis, const Cell& cell)
{
  return axis.default_index == nullptr ? 0 : axis.default_index(cell);
}

[[noreturn]] void reject(std::string_view name, std::string_view why)
{
  throw Error(fmt::format("cell '{}': {}", printable(name), why));
}

std::string value_list(const Axis& axis)
{
  std::string list;
  for (const AxisValue& value : axis.values)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", value.text);
  return list;
}

std::string axis_list()
{
  std::string list;
  for (const Axis& axis : axes())
    if (axis.id != AxisId::path) list += fmt::format("{}{}", list.empty() ? "" : ", ", axis.name);
  return list;
}

int value_index(std::string_view name, const Axis& axis, std::string_view text)
{
  const auto index = find_value(axis, text);
  if (!index)
    reject(name,
           fmt::format("axis {} has no value '{}', expected one of {}", axis.name, printable(text), value_list(axis)));
  return *index;
}

/// Parses "axis=value" into the cell; an axis named twice is an error.
void parse_setting(std::string_view name, std::string_view setting, Cell& cell, std::array<bool, kAxisCount>& is_set)
{
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos)
    reject(name, fmt::format("expected axis=value, found '{}'", printable(setting)));
  const std::string_view axis_name = setting.substr(0, equals);
  const auto id = find_axis(axis_name);
  if (!id) reject(name, fmt::format("there is no axis '{}', expected one of {}", printable(axis_name), axis_list()));
  if (*id == AxisId::path) reject(name, "the path stands first, expected PATH/axis=value,...");
  if (is_set[static_cast<std::size_t>(*id)])
    reject(name, fmt::format("axis {} is given twice, expected it once", axis_name));
  cell[*id] = static_cast<std::uint8_t>(value_index(name, axis(*id), setting.substr(equals + 1)));
  is_set[static_cast<std::size_t>(*id)] = true;
}

}  // namespace

void fill_defaults(Cell& cell, const std::array<bool, kAxisCount>& is_set)
{
  for (const Axis& a : axes())
    if (!is_set[static_cast<std::size_t>(a.id)] && a.default_index != nullptr)
      cell[a.id] = static_cast<std::uint8_t>(a.default_index(cell));
}

Cell default_cell(int path_index)
{
  Cell cell;
  cell[AxisId::path] = static_cast<std::uint8_t>(path_index);
  fill_defaults(cell, {});
  return cell;
}

std::string cell_name(const Cell& cell)
{
  std::string name(axis(AxisId::path).values[cell[AxisId::path]].text);
  char separator = '/';
  for (const Axis& a : axes()) {
    if (a.id == AxisId::path || cell[a.id] == default_of(a, cell)) continue;
    name += fmt::format("{}{}={}", separator, a.name, a.values[cell[a.id]].text);
    separator = ',';
  }
  return name;
}

Cell parse_cell(std::string_view name)
{
  const std::size_t slash = name.find('/');
  Cell cell;
  std::array<bool, kAxisCount> is_set{};
  cell[AxisId::path] = static_cast<std::uint8_t>(value_index(name, axis(AxisId::path), name.substr(0, slash)));
  if (slash != std::string_view::npos)
    for (const std::string_view setting : split(name.substr(slash + 1), ','))
      parse_setting(name, setting, cell, is_set);
  fill_defaults(cell, is_set);
  return cell;
}

sim::Request to_request(const Cell& cell)
{
  sim::Request request;
  for (const Axis& a : axes())
    a.apply(request, a.values[cell[a.id]]);
  return request;
}

}  // namespace flashgate::matrix
