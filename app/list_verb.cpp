#include <cstdio>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "app/assembly_text.h"
#include "app/backend_table.h"
#include "app/command_line.h"
#include "matrix/attributes.h"
#include "matrix/checks.h"
#include "matrix/constraints.h"
#include "matrix/execution.h"
#include "matrix/numerics_axes.h"
#include "matrix/run_selection.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "sim/dispatch/kernel_ops.h"

namespace flashgate::app {
namespace {

/// A table as people and programs read it: a row is a list of texts, one per column.
struct Table
{
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

void print_text(const Table& table)
{
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
    fmt::print("{}\n", line);
  }
}

void print_json(const Table& table)
{
  nlohmann::json all = nlohmann::json::array();
  for (const auto& row : table.rows) {
    nlohmann::json object;
    for (std::size_t i = 0; i < row.size(); ++i)
      object[table.columns[i]] = row[i];
    all.push_back(object);
  }
  fmt::print("{}\n", all.dump(2));
}

Table axes_table()
{
  Table table{{"axis", "values", "help"}, {}};
  for (const matrix::Attribute& attribute : matrix::attributes()) {
    std::string values;
    for (const matrix::AxisValue& value : attribute.values)
      values += fmt::format("{}{}", values.empty() ? "" : ", ", value.text);
    table.rows.push_back({std::string(attribute.name), values, std::string(attribute.help)});
  }
  return table;
}

Table suites_table(const CommandLine& line)
{
  Table table{{"suite", "description"}, {}};
  for (const std::string& name : matrix::suite_names(line.run.suites_folder))
    table.rows.push_back({name, matrix::load_suite(line.run.suites_folder, name).description});
  return table;
}

Table subjects_table(const CommandLine&)
{
  Table table{{"subject", "description"}, {}};
  for (const matrix::SubjectPtr& subject : matrix::built_in_subjects())
    table.rows.push_back({subject->name(), subject->description()});
  table.rows.push_back(
      {"fleet:PATH@GITREF", "the dispatch code of a checkout at a git ref; fleet:PATH: as it is on disk"});
  table.rows.push_back({"exec:COMMAND", "a program that speaks the subject protocol"});
  return table;
}

Table checks_table(const CommandLine&)
{
  Table table{{"check", "rule"}, {}};
  for (const matrix::Check& check : matrix::checks())
    table.rows.push_back({std::string(check.id), std::string(check.title)});
  for (const matrix::ExecutionCheck& check : matrix::execution_checks())
    table.rows.push_back({std::string(check.id), std::string(check.title)});
  return table;
}

Table constraints_table(const CommandLine&)
{
  Table table{{"constraint", "reason"}, {}};
  for (const matrix::Constraint& constraint : matrix::constraints())
    table.rows.push_back({std::string(constraint.name), std::string(constraint.reason)});
  return table;
}

Table kernels_table(const CommandLine&)
{
  Table table{{"kernel", "operator", "lse", "state", "assembled"}, {}};
  for (int version = 2; version <= 4; ++version)
    table.rows.push_back({std::string(sim::version_name(version).text()),
                          std::string(sim::forward_kernel(version, true).text()),
                          "LSE " + std::string(sim::lse_layout(version)),
                          version == 2 ? "built" : "not built yet: backend reference-rounded stands in",
                          version == 2 ? assembly_text("v2_") : "-"});
  return table;
}

Table backends_table(const CommandLine&)
{
  Table table{{"backend", "evidence", "here", "what"}, {}};
  for (const BackendRow& row : backend_table()) {
    const std::string reason = why_not(row);
    table.rows.push_back(
        {row.name, std::string("evidence ") + row.evidence, reason.empty() ? "yes" : "no: " + reason, row.what});
  }
  return table;
}

Table numerics_table(const CommandLine&)
{
  Table table{{"axis", "values", "help"}, {}};
  for (const matrix::NumericsAxis& axis : matrix::numerics_axes()) {
    std::string values;
    for (const matrix::AxisValue& value : axis.values)
      values += fmt::format("{}{}", values.empty() ? "" : ", ", value.text);
    table.rows.push_back({std::string(axis.name), values, std::string(axis.help)});
  }
  return table;
}

Table all_axes_table(const CommandLine&) { return axes_table(); }

Table cells_table(const CommandLine& line)
{
  Table table{{"cell"}, {}};
  for (const matrix::Cell& cell : matrix::select(line.run).cells)
    table.rows.push_back({matrix::cell_name(cell)});
  return table;
}

/// How many cells a suite selects, and what it leaves out for which reason.
Table count_table(const CommandLine& line)
{
  const matrix::RunSelection selection = matrix::select(line.run);
  Table table{{"count", "what"}, {}};
  const auto add = [&](auto count, const std::string& what) { table.rows.push_back({std::to_string(count), what}); };
  add(selection.cells.size(), "cells selected");
  add(selection.enumeration.merged, "selected by more than one part");
  for (const auto& [reason, count] : selection.enumeration.excluded_by_reason)
    add(count, "cells excluded: " + reason);
  for (const auto& [reason, count] : selection.enumeration.impossible_tuples_by_reason)
    add(count, "value tuples no cell can have: " + reason);
  return table;
}

struct Listing
{
  const char* what;
  Table (*make)(const CommandLine&);
};

constexpr Listing kListings[] = {
    {"axes", all_axes_table},     {"suites", suites_table},           {"subjects", subjects_table},
    {"checks", checks_table},     {"kernels", kernels_table},         {"backends", backends_table},
    {"numerics", numerics_table}, {"constraints", constraints_table}, {"cells", cells_table},
};

Table make_listing(const CommandLine& line)
{
  if (line.count && line.what == "cells") return count_table(line);
  std::string known;
  for (const Listing& listing : kListings) {
    if (line.what == listing.what) return listing.make(line);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", listing.what);
  }
  throw Error(fmt::format("list '{}': expected one of {}", matrix::printable(line.what), known));
}

}  // namespace

int list_verb(const CommandLine& line)
{
  const Table table = make_listing(line);
  if (line.json)
    print_json(table);
  else
    print_text(table);
  if (table.rows.empty() && !line.json) fmt::print(stderr, "flashgate: there are no {} yet\n", line.what);
  return 0;
}

}  // namespace flashgate::app
