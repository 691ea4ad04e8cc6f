#include "app/backends/kernel_map_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "matrix/numerics_axes.h"
#include "matrix/texts.h"
#include "matrix/toml_file.h"
#include "reference/error.h"

namespace flashgate::app {
namespace {

using gpu::external::Expression;
using gpu::external::KernelMap;
using gpu::external::MapDirection;
using gpu::external::MapStep;
using gpu::external::MapSupport;
using matrix::NumericsAxisId;
using matrix::TomlFile;
using reference::Causal;
using reference::Dtype;

const toml::node& required(const TomlFile& file, const toml::table& table, std::string_view key)
{
  const toml::node* node = table.get(key);
  if (node == nullptr) file.fail(table, fmt::format("no key '{}', expected one", key));
  return *node;
}

int integer(const TomlFile& file, const toml::node& node, int least)
{
  const auto* number = node.as_integer();
  if (number == nullptr || number->get() < least || number->get() > std::numeric_limits<int>::max())
    file.fail(node, fmt::format("expected a number from {} on", least));
  return static_cast<int>(number->get());
}

bool boolean(const TomlFile& file, const toml::node& node)
{
  if (!node.is_boolean()) file.fail(node, "expected true or false");
  return node.as_boolean()->get();
}

/// Calls make(text) and gives its Error the node's place.
template <typename Make>
auto parsed(const TomlFile& file, const toml::node& node, Make make)
{
  const std::string text = node.is_integer() ? std::to_string(node.as_integer()->get()) : file.text(node);
  try {
    return make(text);
  } catch (const Error& error) {
    file.fail(node, matrix::printable(error.what()));
  }
}

Expression expression(const TomlFile& file, const toml::node& node)
{
  return parsed(file, node, [](const std::string& text) { return Expression(text); });
}

/// One to three extents; those that are missing are 1.
std::array<Expression, 3> extents(const TomlFile& file, const toml::node& node)
{
  const toml::array& list = file.list(node);
  std::array<Expression, 3> all{Expression("1"), Expression("1"), Expression("1")};
  if (list.size() > all.size()) file.fail(node, "expected a list of at most three extents");
  for (std::size_t n = 0; n < list.size(); ++n)
    all[n] = expression(file, list[n]);
  return all;
}

MapStep read_step(const TomlFile& file, const toml::table& table)
{
  file.check_keys(table, {"entry", "grid", "block", "shared", "arguments"});
  MapStep step;
  step.place = file.where(table);
  step.entry = file.text(required(file, table, "entry"));
  step.grid = extents(file, required(file, table, "grid"));
  step.block = extents(file, required(file, table, "block"));
  if (const toml::node* shared = table.get("shared")) step.shared_bytes = expression(file, *shared);
  for (const toml::node& argument : file.list(required(file, table, "arguments")))
    step.arguments.push_back(parsed(file, argument, gpu::external::parse_argument));
  return step;
}

MapDirection read_direction(const TomlFile& file, std::string_view name)
{
  MapDirection direction;
  if (const toml::node* steps = file.root().get(name))
    for (const toml::node& step : file.list(*steps))
      direction.steps.push_back(read_step(file, file.table(step)));
  if (const toml::node* workspace = file.root().get("workspace")) {
    file.check_keys(file.table(*workspace), {"forward", "backward"});
    if (const toml::node* bytes = workspace->as_table()->get(name))
      direction.workspace_bytes = expression(file, *bytes);
  }
  return direction;
}

/// The number of the axis's value that the text spells.
int axis_number(const TomlFile& file, const toml::node& node, NumericsAxisId id)
{
  const matrix::NumericsAxis& axis = matrix::numerics_axis(id);
  TomlFile::Names names;
  for (const matrix::AxisValue& value : axis.values)
    names.push_back(value.text);
  return axis.values[static_cast<std::size_t>(file.choice(node, axis.name, names))].number;
}

std::vector<int> axis_numbers(const TomlFile& file, const toml::node& node, NumericsAxisId id)
{
  std::vector<int> numbers;
  for (const toml::node& value : file.list(node))
    numbers.push_back(axis_number(file, value, id));
  return numbers;
}

/// 64, or "192/128".
std::pair<int, int> head_dims(const TomlFile& file, const toml::node& node)
{
  if (node.is_integer()) {
    const int both = integer(file, node, 1);
    return {both, both};
  }
  const auto index = matrix::find_numerics_value(matrix::numerics_axis(NumericsAxisId::head_dim), file.text(node));
  if (!index) file.fail(node, "expected a head dim, or a pair such as \"192/128\" of axis head_dim");
  const matrix::AxisValue& value =
      matrix::numerics_axis(NumericsAxisId::head_dim).values[static_cast<std::size_t>(*index)];
  return {value.number, value.second};
}

MapSupport read_support(const TomlFile& file, const toml::table& table)
{
  file.check_keys(
      table, {"dtypes", "head_dims", "causal", "mask_columns", "seqlen_multiple", "grouped_heads", "deterministic"});
  MapSupport support;
  for (int dtype : axis_numbers(file, required(file, table, "dtypes"), NumericsAxisId::dtype))
    support.dtypes.push_back(static_cast<Dtype>(dtype));
  for (const toml::node& dims : file.list(required(file, table, "head_dims")))
    support.head_dims.push_back(head_dims(file, dims));
  constexpr std::array<Causal, 3> kCorners{Causal::none, Causal::top_left, Causal::bottom_right};
  const TomlFile::Names corners{name(kCorners[0]), name(kCorners[1]), name(kCorners[2])};
  for (const toml::node& corner : file.list(required(file, table, "causal")))
    support.causal.push_back(kCorners[static_cast<std::size_t>(file.choice(corner, "kind of causal call", corners))]);
  support.mask_columns = axis_numbers(file, required(file, table, "mask_columns"), NumericsAxisId::mask_columns);
  if (const toml::node* multiple = table.get("seqlen_multiple")) support.seqlen_multiple = integer(file, *multiple, 1);
  if (const toml::node* grouped = table.get("grouped_heads")) support.grouped_heads = boolean(file, *grouped);
  if (const toml::node* modes = table.get("deterministic")) {
    const std::vector<int> numbers = axis_numbers(file, *modes, NumericsAxisId::deterministic);
    support.deterministic = std::ranges::count(numbers, 1) > 0;
    support.nondeterministic = std::ranges::count(numbers, 0) > 0;
  }
  return support;
}

/// Empty if there is no such file.
std::string read_text(const std::filesystem::path& path)
{
  std::error_code ignored;
  std::ifstream in;
  if (std::filesystem::is_regular_file(path, ignored)) in.open(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

KernelMap read_kernel_map(const std::string& path)
{
  const TomlFile file(path);
  const toml::table& root = file.root();
  file.check_keys(root, {"ptx", "kernel", "layout", "lse", "supports", "workspace", "forward", "backward"});
  KernelMap map;
  map.text = read_text(path);
  const toml::node& ptx = required(file, root, "ptx");  // beside the map, unless its path says otherwise
  const std::filesystem::path ptx_path = std::filesystem::path(path).parent_path() / file.text(ptx);
  map.ptx_name = matrix::printable(ptx_path.string());
  map.ptx = read_text(ptx_path);
  if (map.ptx.empty()) file.fail(ptx, fmt::format("{}: nothing that can be read, expected PTX", map.ptx_name));
  map.generation = axis_number(file, required(file, root, "kernel"), NumericsAxisId::kernel);
  map.rows_before_heads = file.choice(required(file, root, "layout"), "layout", {"bhsd", "bshd"}) == 1;
  map.lse_layout = file.choice(required(file, root, "lse"), "layout of LSE", {"canonical", "version_2"}) == 0
                       ? gpu::kernels::LseLayout::canonical
                       : gpu::kernels::LseLayout::version_2;
  map.support = read_support(file, file.table(required(file, root, "supports")));
  required(file, root, "forward");
  map.forward = read_direction(file, "forward");
  map.backward = read_direction(file, "backward");
  return map;
}

}  // namespace flashgate::app
