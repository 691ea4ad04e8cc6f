#include "tests/gpu/mutation/mutation_table.h"

#include <map>
#include <ostream>

#include <fmt/format.h>

namespace flashgate::gpu::mutation {
namespace {

void count(const MutantResult& result, const std::vector<Explanation>& explanations, MutantCounts& counts)
{
  ++counts.mutants;
  if (!result.trial.found_by.empty()) {
    ++counts.found;
    return;
  }
  const Explanation* row = explain(result, explanations);
  ++(row == nullptr ? counts.unexplained : row->verdict == "equivalent" ? counts.equivalent : counts.gaps);
}

struct Row
{
  MutantCounts counts;
  std::map<std::string, int> found_by;
};

void print_row(std::ostream& out, const std::string& name, const Row& row)
{
  out << fmt::format("  {:<32}{:>8}{:>7}{:>12}{:>6}{:>13}   ", name, row.counts.mutants, row.counts.found,
                     row.counts.equivalent, row.counts.gaps, row.counts.unexplained);
  const char* separator = "";
  for (const auto& [check, number] : row.found_by) {
    out << separator << check << ' ' << number;
    separator = ", ";
  }
  out << '\n';
}

template <typename KeyOf>
void print_groups(std::ostream& out, const std::string& title, const std::vector<MutantResult>& results,
                  const std::vector<Explanation>& explanations, KeyOf key_of)
{
  std::vector<std::string> order;
  std::map<std::string, Row> rows;
  for (const MutantResult& result : results) {
    const auto [row, is_new] = rows.try_emplace(key_of(result));
    if (is_new) order.push_back(row->first);
    count(result, explanations, row->second.counts);
    if (!result.trial.found_by.empty()) ++row->second.found_by[result.trial.found_by];
  }
  out << fmt::format("  {:<32}{:>8}{:>7}{:>12}{:>6}{:>13}   found by\n", title, "mutants", "found", "equivalent",
                     "gaps", "unexplained");
  for (const std::string& key : order)
    print_row(out, key, rows.at(key));
}

}  // namespace

double MutantCounts::found_share() const
{
  return mutants == equivalent ? 0.0 : static_cast<double>(found) / static_cast<double>(mutants - equivalent);
}

MutantCounts count_mutants(const std::vector<MutantResult>& results, const std::vector<Explanation>& explanations)
{
  MutantCounts counts;
  for (const MutantResult& result : results)
    count(result, explanations, counts);
  return counts;
}

void print_mutant_table(std::ostream& out, const std::vector<MutantResult>& results,
                        const std::vector<Explanation>& explanations)
{
  print_groups(out, "kernel", results, explanations, [](const MutantResult& result) { return result.mutant.entry; });
  out << '\n';
  print_groups(out, "rule", results, explanations, [](const MutantResult& result) { return result.mutant.rule; });
  const MutantCounts all = count_mutants(results, explanations);
  out << fmt::format(
      "\n{} of {} mutants found; {} proven equivalent, {} explained gaps, {} unexplained: {:.2f} % of "
      "those not equivalent found\n",
      all.found, all.mutants, all.equivalent, all.gaps, all.unexplained, 100.0 * all.found_share());
}

}  // namespace flashgate::gpu::mutation
