#include "matrix/pair_balance.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace flashgate::matrix {
namespace {

class PairBalance
{
 public:
  PairBalance(const RowModel& model, std::vector<Row>& rows) : model_(model), rows_(rows)
  {
    for (const int levels : model.levels)
      value_uses_.emplace_back(static_cast<std::size_t>(levels), 0);
    for (const Row& row : rows)
      for (int factor = 0; factor < factor_count(); ++factor)
        count(row, factor, +1);
  }

  void run(const std::vector<int>& factors)
  {
    for (Row& row : rows_)
      for (const int factor : factors)
        if (is_dispensable(row, factor)) change(row, factor);
  }

 private:
  using Pair = std::tuple<int, int, int, int>;

  int factor_count() const { return static_cast<int>(model_.levels.size()); }

  static Pair pair_of(const Row& row, int factor, int other)
  {
    return {factor, row[static_cast<std::size_t>(factor)], other, row[static_cast<std::size_t>(other)]};
  }

  /// Each pair is counted in both orders, so that one factor's pairs are changed without asking the others.
  void count(const Row& row, int factor, int by)
  {
    value_uses_[static_cast<std::size_t>(factor)][static_cast<std::size_t>(row[static_cast<std::size_t>(factor)])] +=
        by;
    for (int other = 0; other < factor_count(); ++other)
      if (other != factor) pair_uses_[pair_of(row, factor, other)] += by;
  }

  void count_everywhere(const Row& row, int factor, int by)
  {
    count(row, factor, by);
    for (int other = 0; other < factor_count(); ++other)
      if (other != factor) pair_uses_[pair_of(row, other, factor)] += by;
  }

  bool is_dispensable(const Row& row, int factor) const
  {
    for (int other = 0; other < factor_count(); ++other)
      if (other != factor && pair_uses_.at(pair_of(row, factor, other)) < 2) return false;
    return true;
  }

  bool is_allowed(const Row& row) const
  {
    return std::ranges::all_of(model_.rules, [&](const RowRule& rule) { return rule.allows(row); });
  }

  /// Gives the factor its least used value that the rules allow, if that makes the values more even.
  void change(Row& row, int factor)
  {
    int& value = row[static_cast<std::size_t>(factor)];
    const auto& uses = value_uses_[static_cast<std::size_t>(factor)];
    const int old = value;
    int best = old;
    for (int candidate = 0; candidate < static_cast<int>(uses.size()); ++candidate) {
      const bool is_rarer =
          uses[static_cast<std::size_t>(candidate)] + (best == old ? 1 : 0) < uses[static_cast<std::size_t>(best)];
      value = candidate;
      if (is_rarer && is_allowed(row)) best = candidate;
    }
    value = old;
    if (best == old) return;
    count_everywhere(row, factor, -1);
    value = best;
    count_everywhere(row, factor, +1);
  }

  const RowModel& model_;
  std::vector<Row>& rows_;
  std::vector<std::vector<int>> value_uses_;
  std::map<Pair, int> pair_uses_;
};

}  // namespace

void balance_pairs(const RowModel& model, const std::vector<int>& factors, std::vector<Row>& rows)
{
  PairBalance(model, rows).run(factors);
}

}  // namespace flashgate::matrix
