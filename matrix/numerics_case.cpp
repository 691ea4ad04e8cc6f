#include "matrix/numerics_case.h"

#include <charconv>

#include <fmt/format.h>

#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

using Id = NumericsAxisId;

constexpr std::string_view kSeed = "seed";
constexpr std::string_view kCellSeparator = "//";

int default_of(const NumericsAxis& axis, const NumericsCase& numerics)
{
  return axis.default_index == nullptr ? 0 : axis.default_index(numerics);
}

[[noreturn]] void reject(std::string_view name, std::string_view why)
{
  throw Error(fmt::format("numerics case '{}': {}", printable(name), why));
}

void append(std::string& list, std::string_view item)
{
  if (!list.empty()) list += ", ";
  list += item;
}

std::string value_list(const NumericsAxis& axis)
{
  std::string list;
  for (const AxisValue& value : axis.values)
    append(list, value.text);
  return list;
}

std::string axis_list()
{
  std::string list;
  for (const NumericsAxis& axis : numerics_axes())
    if (axis.id != Id::kernel) append(list, axis.name);
  append(list, kSeed);
  return list;
}

std::uint8_t value_index(std::string_view name, const NumericsAxis& axis, std::string_view text)
{
  const auto index = find_numerics_value(axis, text);
  if (!index)
    reject(name,
           fmt::format("axis {} has no value '{}', expected one of {}", axis.name, printable(text), value_list(axis)));
  return static_cast<std::uint8_t>(*index);
}

std::uint32_t parse_seed(std::string_view name, std::string_view text)
{
  std::uint32_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size())
    reject(name, fmt::format("seed '{}' is no number, expected 0 ... 4294967295", printable(text)));
  return seed;
}

/// What a name has set so far; the last place is the seed's.
using IsSet = std::array<bool, kNumericsAxisCount + 1>;

void set_once(std::string_view name, std::string_view axis, bool& is_set)
{
  if (is_set) reject(name, fmt::format("{} is given twice, expected it once", axis));
  is_set = true;
}

/// Parses "axis=value" into the case.
void parse_setting(std::string_view name, std::string_view setting, NumericsCase& numerics, IsSet& is_set)
{
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos)
    reject(name, fmt::format("expected axis=value, found '{}'", printable(setting)));
  const std::string_view axis = setting.substr(0, equals);
  const std::string_view text = setting.substr(equals + 1);
  if (axis == kSeed) {
    set_once(name, axis, is_set.back());
    numerics.seed = parse_seed(name, text);
    return;
  }
  const auto id = find_numerics_axis(axis);
  if (!id) reject(name, fmt::format("there is no axis '{}', expected one of {}", printable(axis), axis_list()));
  if (*id == Id::kernel) reject(name, "the kernel stands first, expected KERNEL/axis=value,...");
  set_once(name, axis, is_set[static_cast<std::size_t>(*id)]);
  numerics[*id] = value_index(name, numerics_axis(*id), text);
}

}  // namespace

const AxisValue& value_of(const NumericsCase& numerics, NumericsAxisId id)
{
  return numerics_axis(id).values[numerics[id]];
}

reference::Family family_of(const NumericsCase& numerics)
{
  return static_cast<reference::Family>(numerics[Id::family]);  // the axis is in the order of the enumeration
}

std::string numerics_name(const NumericsCase& numerics)
{
  std::string name(value_of(numerics, Id::kernel).text);
  char separator = '/';
  const auto add = [&](std::string_view axis, auto value) {
    name += fmt::format("{}{}={}", separator, axis, value);
    separator = ',';
  };
  for (const NumericsAxis& axis : numerics_axes())
    if (axis.id != Id::kernel && numerics[axis.id] != default_of(axis, numerics))
      add(axis.name, axis.values[numerics[axis.id]].text);
  if (numerics.seed != NumericsCase{}.seed) add(kSeed, numerics.seed);
  return name;
}

NumericsCase parse_numerics_case(std::string_view name)
{
  const std::size_t slash = name.find('/');
  NumericsCase numerics;
  IsSet is_set{};
  numerics[Id::kernel] = value_index(name, numerics_axis(Id::kernel), name.substr(0, slash));
  if (slash != std::string_view::npos)
    for (const std::string_view setting : split(name.substr(slash + 1), ','))
      parse_setting(name, setting, numerics, is_set);
  for (const NumericsAxis& axis : numerics_axes())
    if (!is_set[static_cast<std::size_t>(axis.id)] && axis.default_index != nullptr)
      numerics[axis.id] = static_cast<std::uint8_t>(axis.default_index(numerics));
  return numerics;
}

std::string cell_case_name(const CellCase& cell_case)
{
  return cell_name(cell_case.cell) + std::string(kCellSeparator) + numerics_name(cell_case.numerics);
}

CellCase parse_cell_case(std::string_view name)
{
  const std::size_t separator = name.find(kCellSeparator);
  if (separator == std::string_view::npos) reject(name, "expected DISPATCH_CELL//NUMERICS");
  return {parse_cell(name.substr(0, separator)), parse_numerics_case(name.substr(separator + kCellSeparator.size()))};
}

}  // namespace flashgate::matrix
