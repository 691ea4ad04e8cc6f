#include "matrix/execution_array.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_set>

#include "matrix/covering_array.h"
#include "matrix/pair_balance.h"

namespace flashgate::matrix {
namespace {

using Id = NumericsAxisId;

constexpr std::array kFreeAxes{Id::dtype, Id::family, Id::seqlen, Id::heads, Id::mask_heads, Id::batch, Id::fill};
constexpr std::array kTiedAxes{Id::kernel, Id::direction, Id::causal, Id::mask_columns, Id::cp_size};

std::vector<NumericsAxisId> array_axes()
{
  std::vector<NumericsAxisId> all(kFreeAxes.begin(), kFreeAxes.end());
  all.insert(all.end(), kTiedAxes.begin(), kTiedAxes.end());
  return all;
}

/// The naive kernel stands last on its axis.
int level_count(NumericsAxisId id)
{
  const int count = static_cast<int>(numerics_axis(id).values.size());
  return id == Id::kernel ? count - 1 : count;
}

NumericsCase case_of(const Row& row, const std::vector<NumericsAxisId>& ids)
{
  NumericsCase numerics;
  for (std::size_t n = 0; n < ids.size(); ++n)
    if (row[n] != kOpen) numerics[ids[n]] = static_cast<std::uint8_t>(row[n]);
  return numerics;
}

/// The constraint over positions of `ids`; empty if it reads an axis that is not among them.
std::optional<RowRule> rule_of(const NumericsConstraint& constraint, const std::vector<NumericsAxisId>& ids)
{
  RowRule rule;
  for (const NumericsAxisId id : constraint.reads) {
    const auto found = std::ranges::find(ids, id);
    if (found == ids.end()) return std::nullopt;
    rule.factors.push_back(static_cast<int>(found - ids.begin()));
  }
  rule.allows = [&constraint, ids](const Row& row) { return constraint.allows(case_of(row, ids)); };
  return rule;
}

/// What has been seen of values and pairs of values; counts what a case would add.
class Seen
{
 public:
  double gain(const NumericsCase& numerics) const
  {
    constexpr double kNewValue = 1000;  // more than the pairs of one case
    double values = 0;
    double pairs = 0;
    visit(numerics, [&](std::uint32_t key, bool is_value) {
      if (seen_.contains(key)) return;
      (is_value ? values : pairs) += 1;
    });
    return kNewValue * values + pairs / (1 + cost_of(numerics) / kComfortableCost);
  }

  void add(const NumericsCase& numerics)
  {
    visit(numerics, [&](std::uint32_t key, bool) { seen_.insert(key); });
  }

 private:
  static std::uint32_t key_of(const NumericsCase& numerics, int axis)
  {
    return static_cast<std::uint32_t>(axis) << 8 | numerics.values[static_cast<std::size_t>(axis)];
  }

  /// Values and pairs as keys; a pair's has the first value's key plus one in the upper half.
  static void visit(const NumericsCase& numerics, const auto& use)
  {
    for (int i = 0; i < kNumericsAxisCount; ++i) {
      use(key_of(numerics, i), true);
      for (int j = i + 1; j < kNumericsAxisCount; ++j)
        use((key_of(numerics, i) + 1) << 16 | key_of(numerics, j), false);
    }
  }

  std::unordered_set<std::uint32_t> seen_;
};

/// A case that waits to be chosen. Gains only ever shrink, so an old one is an upper bound.
struct Waiting
{
  double gain = 0;
  std::size_t position = 0;

  /// Of equal gains, the first case.
  bool operator<(const Waiting& other) const
  {
    return std::tuple(gain, other.position) < std::tuple(other.gain, position);
  }
};

/// At most `limit` positions, ascending, each of the largest gain when it was chosen, and of more than `least`.
std::vector<std::size_t> choose_greedily(const std::vector<NumericsCase>& cases, std::size_t limit, double least)
{
  Seen seen;
  std::priority_queue<Waiting> waiting;
  for (std::size_t n = 0; n < cases.size(); ++n)
    waiting.push({seen.gain(cases[n]), n});
  std::vector<std::size_t> chosen;
  while (chosen.size() < limit && !waiting.empty()) {
    const Waiting best = waiting.top();
    waiting.pop();
    const double gain = seen.gain(cases[best.position]);
    if (gain < best.gain) {
      waiting.push({gain, best.position});
      continue;
    }
    if (gain <= least) break;
    seen.add(cases[best.position]);
    chosen.push_back(best.position);
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace

std::vector<NumericsCase> numerics_array(int strength)
{
  const std::vector<NumericsAxisId> ids = array_axes();
  RowModel model;
  for (const NumericsAxisId id : ids)
    model.levels.push_back(level_count(id));
  for (const NumericsConstraint& constraint : numerics_constraints())
    if (auto rule = rule_of(constraint, ids)) model.rules.push_back(std::move(*rule));
  std::vector<Row> array = covering_array(model, strength).rows;
  std::vector<int> free_factors(kFreeAxes.size());  // they stand first; pins decide the others
  std::iota(free_factors.begin(), free_factors.end(), 0);
  if (strength == 2) balance_pairs(model, free_factors, array);
  std::vector<NumericsCase> rows;
  for (const Row& row : array)
    rows.push_back(case_of(row, ids));
  return rows;
}

NumericsCase with_free_axes(const NumericsCase& pin, const NumericsCase& row)
{
  NumericsCase numerics = pin;
  for (const NumericsAxisId id : kFreeAxes)
    numerics[id] = row[id];
  return numerics;
}

bool carries(const NumericsCase& pin, const NumericsCase& row)
{
  return pin[Id::causal] == row[Id::causal] && pin[Id::mask_columns] == row[Id::mask_columns] &&
         excluded_by(with_free_axes(pin, row)).empty();
}

std::vector<std::size_t> most_telling(const std::vector<NumericsCase>& cases, std::size_t limit)
{
  return choose_greedily(cases, limit, -1);
}

std::vector<std::size_t> telling_pairs(const std::vector<NumericsCase>& cases, std::size_t limit)
{
  return choose_greedily(cases, limit, 0);
}

}  // namespace flashgate::matrix
