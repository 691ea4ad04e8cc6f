#include "matrix/suite.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "matrix/constraints.h"
#include "matrix/texts.h"
#include "matrix/toml_file.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 1e6;

/// A suite's path in the file system. Throws Error with the known names if there is no suite of that name.
std::string resolve(const std::string& folder, const std::string& name)
{
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) return name;
  const std::vector<std::string> known = suite_names(folder);
  if (std::ranges::find(known, name) == known.end())
    throw Error(fmt::format("no suite '{}', expected one of {}, or a path", printable(name), fmt::join(known, ", ")));
  return (fs::path(folder) / (name + ".toml")).string();
}

/// A suite's file: the format of docs/suites.md.
class SuiteFile
{
 public:
  explicit SuiteFile(std::string path) : file_(std::move(path)) {}

  /// `extenders`: the paths of the suites that extend this one.
  Suite read(const std::string& folder, std::vector<std::string> extenders) const;

 private:
  Suite base(const std::string& folder, std::vector<std::string> extenders) const;
  void read_pinned(Suite& suite) const;
  void read_executions(Suite& suite) const;
  std::int64_t limit(const toml::node& node) const;
  double seconds(const toml::node& node) const;
  std::string evidence(const toml::node& node) const;
  Selection selection(const toml::table& part) const;
  SelectionKind kind(const toml::table& part) const;
  std::vector<AxisValues> axes_of(const toml::table& part, SelectionKind kind) const;
  std::vector<AxisValues> axes_called(const toml::node& word) const;
  std::vector<AxisValues> listed_axes(const toml::array& names) const;
  void restrict_values(std::vector<AxisValues>& axes, const toml::table& values_by_axis) const;
  std::vector<int> values(const Axis& axis, const toml::array& texts) const;
  int value(const Axis& axis, const toml::node& node) const;
  const Axis& axis_of_key(const toml::key& key) const;
  int strength(const toml::node& node) const;
  std::vector<Cell> cells(const toml::array& names) const;
  Cell cell(const toml::node& node) const;

  TomlFile file_;
};

TomlFile::Names axis_names()
{
  TomlFile::Names names;
  for (const Axis& a : axes())
    names.push_back(a.name);
  return names;
}

int SuiteFile::value(const Axis& axis, const toml::node& node) const
{
  if (node.is_string())
    if (const auto index = find_value(axis, node.as_string()->get())) return *index;  // also "64/64"
  TomlFile::Names known;
  for (const AxisValue& v : axis.values)
    known.push_back(v.text);
  return file_.choice(node, fmt::format("value of axis {}", axis.name), known);
}

std::vector<int> SuiteFile::values(const Axis& axis, const toml::array& texts) const
{
  std::vector<int> result;
  for (const toml::node& node : texts) {
    result.push_back(value(axis, node));
    if (std::ranges::count(result, result.back()) > 1)
      file_.fail(node, fmt::format("value '{}' listed twice, expected each value once", file_.text(node)));
  }
  return result;
}

const Axis& SuiteFile::axis_of_key(const toml::key& key) const
{
  if (const auto id = find_axis(key.str())) return axis(*id);
  file_.fail(key, fmt::format("no axis '{}', expected one of {}", printable(key.str()), fmt::join(axis_names(), ", ")));
}

std::vector<AxisValues> SuiteFile::listed_axes(const toml::array& names) const
{
  std::vector<AxisValues> result;
  for (const toml::node& node : names) {
    const Axis& found = axes()[static_cast<std::size_t>(file_.choice(node, "axis", axis_names()))];
    if (std::ranges::find(result, found.id, &AxisValues::axis) != result.end())
      file_.fail(node, fmt::format("axis {} listed twice, expected each axis once", found.name));
    result.push_back(every_value(found));
  }
  return result;
}

std::vector<AxisValues> SuiteFile::axes_called(const toml::node& word) const
{
  const std::string name = file_.text(word);
  file_.choice(word, "group of axes", {"core", "others", "all"});
  std::vector<AxisValues> result;
  for (const Axis& a : axes())
    if (name == "all" || a.core == (name == "core")) result.push_back(every_value(a));
  return result;
}

std::vector<AxisValues> SuiteFile::axes_of(const toml::table& part, SelectionKind kind) const
{
  const toml::node* node = part.get("axes");
  if (node == nullptr) file_.fail(part, "a part without axes, expected axes = \"core\", \"others\", \"all\" or a list");
  std::vector<AxisValues> axes = node->is_string() ? axes_called(*node) : listed_axes(file_.list(*node));
  const bool has_core = std::ranges::any_of(axes, [](const AxisValues& a) { return axis(a.axis).core; });
  if (kind == SelectionKind::each_value && has_core)
    file_.fail(*node, "a core axis in a part of kind each_value, which varies the core anyway, expected other axes");
  return axes;
}

void SuiteFile::restrict_values(std::vector<AxisValues>& axes, const toml::table& values_by_axis) const
{
  for (const auto& [key, node] : values_by_axis) {
    const Axis& restricted = axis_of_key(key);
    const auto found = std::ranges::find(axes, restricted.id, &AxisValues::axis);
    if (found == axes.end())
      file_.fail(key, fmt::format("values of axis {}, expected one of this part's axes", restricted.name));
    found->values = values(restricted, file_.list(node));
  }
}

int SuiteFile::strength(const toml::node& node) const
{
  const auto* number = node.as_integer();
  if (number == nullptr || number->get() < 1 || number->get() > kLargestStrength)
    file_.fail(node, fmt::format("a strength out of range, expected a number from 1 to {}", kLargestStrength));
  return static_cast<int>(number->get());
}

Cell SuiteFile::cell(const toml::node& node) const
{
  const std::string name = file_.text(node);
  try {
    return parse_cell(name);
  } catch (const Error& e) {
    file_.fail(node, e.what());
  }
}

std::vector<Cell> SuiteFile::cells(const toml::array& names) const
{
  std::vector<Cell> result;
  std::set<Cell> seen;
  for (const toml::node& node : names) {
    result.push_back(cell(node));
    const std::string name = cell_name(result.back());
    if (!seen.insert(result.back()).second)
      file_.fail(node, fmt::format("cell '{}' listed twice, expected each cell once", name));
    const std::string_view reason = excluded_by(result.back());
    if (!reason.empty())
      file_.fail(node, fmt::format("cell '{}' is excluded, expected an allowed one: {}", name, reason));
  }
  return result;
}

SelectionKind SuiteFile::kind(const toml::table& part) const
{
  const toml::node* node = part.get("kind");
  if (node == nullptr) file_.fail(part, "a part without kind, expected kind = product, array, each_value or cells");
  return static_cast<SelectionKind>(file_.choice(*node, "kind", {"product", "array", "each_value", "cells"}));
}

Selection SuiteFile::selection(const toml::table& part) const
{
  Selection result;
  result.kind = kind(part);
  result.where = file_.where(part);
  if (result.kind == SelectionKind::cells) {
    file_.check_keys(part, {"kind", "cells"});
    if (!part.contains("cells")) file_.fail(part, "a part without cells, expected cells = [names]");
    result.cells = cells(file_.list(*part.get("cells")));
    return result;
  }
  TomlFile::Names known{"kind", "axes", "values"};
  if (result.kind != SelectionKind::product) known.push_back("strength");
  file_.check_keys(part, known);
  result.axes = axes_of(part, result.kind);
  if (const toml::node* node = part.get("values")) restrict_values(result.axes, file_.table(*node));
  if (const toml::node* node = part.get("strength")) result.strength = strength(*node);
  return result;
}

Suite SuiteFile::base(const std::string& folder, std::vector<std::string> extenders) const
{
  const toml::node* node = file_.root().get("extends");
  if (node == nullptr) return {};
  extenders.push_back(file_.path());
  std::string path;
  try {
    path = resolve(folder, file_.text(*node));
  } catch (const Error& e) {
    file_.fail(*node, e.what());
  }
  if (std::ranges::find(extenders, path) != extenders.end())
    file_.fail(*node, "a suite that extends itself, expected another suite");
  return SuiteFile(path).read(folder, extenders);
}

void SuiteFile::read_pinned(Suite& suite) const
{
  const toml::node* node = file_.root().get("pinned");
  if (node == nullptr) return;
  for (const auto& [key, text] : file_.table(*node)) {
    const Axis& pinned = axis_of_key(key);
    std::erase_if(suite.pinned, [&](const AxisValues& pin) { return pin.axis == pinned.id; });
    suite.pinned.push_back({pinned.id, {value(pinned, text)}});
  }
}

void SuiteFile::read_executions(Suite& suite) const
{
  const toml::node* node = file_.root().get("executions");
  if (node == nullptr) return;
  const toml::table& table = file_.table(*node);
  file_.check_keys(table,
                   {"backend", "cases_per_worker", "evidence", "L2", "limit", "memory_mib", "strength", "timeout"});
  ExecutionOptions& executions = suite.executions.emplace();
  if (const toml::node* strength_node = table.get("strength")) executions.strength = strength(*strength_node);
  if (const toml::node* limit_node = table.get("limit")) executions.limit = limit(*limit_node);
  executions.backend = file_.text_at(table, "backend", "");
  if (const toml::node* level = table.get("evidence")) executions.evidence = evidence(*level);
  if (const toml::node* timeout = table.get("timeout")) executions.timeout_seconds = seconds(*timeout);
  if (const toml::node* memory = table.get("memory_mib")) executions.memory_mib = limit(*memory);
  if (const toml::node* cases = table.get("cases_per_worker")) executions.cases_per_worker = limit(*cases);
  const toml::node* part = table.get("L2");
  if (part == nullptr) return;
  const toml::table& l2 = file_.table(*part);
  file_.check_keys(l2, {"limit"});
  if (!l2.contains("limit")) file_.fail(l2, "a part without limit, expected limit = a number of executions");
  executions.l2_limit = limit(*l2.get("limit"));
}

std::int64_t SuiteFile::limit(const toml::node& node) const
{
  const std::int64_t number = node.value<std::int64_t>().value_or(0);
  if (number < 1) file_.fail(node, "no such limit, expected a number of executions from 1 on");
  return number;
}

double SuiteFile::seconds(const toml::node& node) const
{
  const double number = node.value<double>().value_or(0);
  if (!(number > 0) || number > kMostSeconds)
    file_.fail(node, fmt::format("no such time, expected seconds, more than 0 and at most {:g}", kMostSeconds));
  return number;
}

std::string SuiteFile::evidence(const toml::node& node) const
{
  file_.choice(node, "evidence", {"L1", "L2"});
  return file_.text(node);
}

Suite SuiteFile::read(const std::string& folder, std::vector<std::string> extenders) const
{
  file_.check_keys(file_.root(), {"description", "executions", "expectations", "extends", "pinned", "select"});
  Suite suite = base(folder, std::move(extenders));
  suite.name = fs::path(file_.path()).stem().string();
  suite.description = file_.text_at(file_.root(), "description", "");
  suite.expectations = file_.text_at(file_.root(), "expectations", suite.name);
  read_pinned(suite);
  read_executions(suite);
  if (const toml::node* parts = file_.root().get("select"))
    for (const toml::node& part : file_.list(*parts))
      suite.selections.push_back(selection(file_.table(part)));
  if (suite.selections.empty()) file_.fail(1, "nothing is selected, expected at least one [[select]]");
  return suite;
}

}  // namespace

AxisValues every_value(const Axis& axis)
{
  AxisValues result{axis.id, {}};
  for (int i = 0; i < static_cast<int>(axis.values.size()); ++i)
    result.values.push_back(i);
  return result;
}

std::vector<std::string> suite_names(const std::string& folder)
{
  std::vector<std::string> names;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  if (failure) throw Error(fmt::format("{}: {}, expected a folder of suites", printable(folder), failure.message()));
  std::ranges::sort(names);
  return names;
}

Suite load_suite(const std::string& folder, const std::string& name)
{
  return SuiteFile(resolve(folder, name)).read(folder, {});
}

}  // namespace flashgate::matrix
