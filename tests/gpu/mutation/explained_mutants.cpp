#include "tests/gpu/mutation/explained_mutants.h"

#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "reference/error.h"

namespace flashgate::gpu::mutation {
namespace {

constexpr std::size_t kColumns = 6;

std::vector<std::string> split_columns(const std::string& line)
{
  std::vector<std::string> columns;
  std::istringstream in(line);
  for (std::string column; std::getline(in, column, '\t');)
    columns.push_back(column);
  return columns;
}

void check_words(const Explanation& row, const std::string& path)
{
  bool is_survival = false;
  for (const Survival survival : {Survival::unreached, Survival::same_bits, Survival::rounding})
    is_survival |= row.survival == name(survival);
  if (!is_survival || (row.verdict != "equivalent" && row.verdict != "gap"))
    throw Error(fmt::format("{}:{}: expected unreached, same bits or rounding, then equivalent or gap, not '{}', '{}'",
                            path, row.line, row.survival, row.verdict));
}

bool matches(const Explanation& row, const MutantResult& survivor)
{
  const Mutant& mutant = survivor.mutant;
  return mutant.entry.starts_with(row.entry) && (row.rule == "*" || row.rule == mutant.rule) &&
         row.survival == name(survivor.survival) && mutant.source.find(row.source) != std::string::npos;
}

}  // namespace

std::vector<Explanation> read_explanations(const std::string& path)
{
  std::ifstream in(path);
  if (!in) throw Error(path + ": no such file, expected the explained mutants");
  std::vector<Explanation> rows;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> columns = split_columns(line);
    if (columns.size() != kColumns)
      throw Error(fmt::format("{}:{}: expected {} columns, found {}", path, number, kColumns, columns.size()));
    rows.push_back({columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], number});
    check_words(rows.back(), path);
  }
  return rows;
}

const Explanation* explain(const MutantResult& survivor, const std::vector<Explanation>& explanations)
{
  for (const Explanation& row : explanations)
    if (matches(row, survivor)) return &row;
  return nullptr;
}

std::vector<std::string> objections(const std::vector<MutantResult>& results,
                                    const std::vector<Explanation>& explanations)
{
  std::vector<std::string> lines;
  std::set<const Explanation*> used;
  for (const MutantResult& result : results) {
    if (!result.trial.found_by.empty()) continue;
    const Explanation* row = explain(result, explanations);
    if (row == nullptr)
      lines.push_back(fmt::format("survived, {}: {}", name(result.survival), describe(result.mutant)));
    else
      used.insert(row);
  }
  for (const Explanation& row : explanations)
    if (!used.contains(&row))
      lines.push_back(fmt::format("line {}: of `{}` in {} nothing survives any more ({})", row.line, row.source,
                                  row.entry, row.rule));
  return lines;
}

}  // namespace flashgate::gpu::mutation
