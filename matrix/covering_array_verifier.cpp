#include "matrix/covering_array_verifier.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

namespace flashgate::matrix {
namespace {

/// Steps `digits` to the next combination below `ends`; false after the last.
bool next_combination(std::vector<int>& digits, const std::vector<int>& ends)
{
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (++digits[i] < ends[i]) return true;
    digits[i] = 0;
  }
  return false;
}

std::vector<int> picked(const std::vector<int>& all, const std::vector<int>& indices)
{
  std::vector<int> result;
  for (const int index : indices)
    result.push_back(all[index]);
  return result;
}

bool obeys_rules(const RowModel& model, const Row& row)
{
  return std::ranges::all_of(model.rules, [&](const RowRule& rule) { return rule.allows(row); });
}

bool is_good(const RowModel& model, const Row& row)
{
  for (std::size_t i = 0; i < model.levels.size(); ++i)
    if (row[i] < 0 || row[i] >= model.levels[i]) return false;
  return obeys_rules(model, row);
}

std::vector<int> ruled_factors(const RowModel& model)
{
  std::set<int> factors;
  for (const RowRule& rule : model.rules)
    factors.insert(rule.factors.begin(), rule.factors.end());
  return {factors.begin(), factors.end()};
}

/// Every allowed assignment of the factors that rules read; the other factors are kOpen, for any value goes there.
std::vector<Row> allowed_assignments(const RowModel& model)
{
  const std::vector<int> factors = ruled_factors(model);
  const std::vector<int> ends = picked(model.levels, factors);
  std::vector<int> digits(factors.size(), 0);
  std::vector<Row> allowed;
  do {
    Row row(model.levels.size(), kOpen);
    for (std::size_t i = 0; i < factors.size(); ++i)
      row[factors[i]] = digits[i];
    if (obeys_rules(model, row)) allowed.push_back(row);
  } while (next_combination(digits, ends));
  return allowed;
}

/// Where a row's values of `factors` stand among all their combinations.
std::size_t position(const RowModel& model, const std::vector<int>& factors, const Row& row)
{
  std::size_t result = 0;
  for (const int factor : factors)
    result = result * static_cast<std::size_t>(model.levels[factor]) + static_cast<std::size_t>(row[factor]);
  return result;
}

/// For each combination of values of `factors`: is it in one of the rows?
std::vector<bool> combinations_in(const RowModel& model, const std::vector<int>& factors, const std::vector<Row>& rows)
{
  std::size_t size = 1;
  for (const int factor : factors)
    size *= static_cast<std::size_t>(model.levels[factor]);
  std::vector<bool> result(size, false);
  for (const Row& row : rows)
    result[position(model, factors, row)] = true;
  return result;
}

/// Counts the tuples of one choice of factors. A tuple is possible if its values of ruled factors are.
void count_choice(const RowModel& model, const std::vector<int>& factors, const std::vector<Row>& rows,
                  const std::vector<Row>& allowed, CoverageCount& count)
{
  std::vector<int> ruled;
  std::ranges::set_intersection(factors, ruled_factors(model), std::back_inserter(ruled));
  const std::vector<bool> covered = combinations_in(model, factors, rows);
  const std::vector<bool> possible = combinations_in(model, ruled, allowed);
  const std::vector<int> ends = picked(model.levels, factors);
  std::vector<int> values(factors.size(), 0);
  Row row(model.levels.size(), kOpen);
  do {
    for (std::size_t i = 0; i < factors.size(); ++i)
      row[factors[i]] = values[i];
    ++count.tuples;
    if (covered[position(model, factors, row)])
      ++count.covered;
    else if (possible[position(model, ruled, row)])
      ++count.uncovered;
    else
      ++count.impossible;
  } while (next_combination(values, ends));
}

}  // namespace

CoverageCount count_coverage(const RowModel& model, int strength, const std::vector<Row>& rows)
{
  CoverageCount count;
  std::vector<Row> good;
  std::ranges::copy_if(rows, std::back_inserter(good), [&](const Row& row) { return is_good(model, row); });
  count.bad_rows = static_cast<std::int64_t>(rows.size() - good.size());

  const std::vector<Row> allowed = allowed_assignments(model);
  const std::vector<int> ends(strength, static_cast<int>(model.levels.size()));
  std::vector<int> factors(strength, 0);
  do {
    if (std::ranges::adjacent_find(factors, std::greater_equal{}) == factors.end())
      count_choice(model, factors, good, allowed, count);
  } while (next_combination(factors, ends));
  return count;
}

}  // namespace flashgate::matrix
