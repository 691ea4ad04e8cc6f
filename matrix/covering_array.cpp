#include "matrix/covering_array.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace flashgate::matrix {
namespace {

bool is_assigned(const RowRule& rule, const Row& row)
{
  return std::ranges::all_of(rule.factors, [&](int factor) { return row[factor] != kOpen; });
}

/// All ascending choices of `count` numbers below `end`, in lexicographic order.
std::vector<std::vector<int>> choices(int end, int count)
{
  std::vector<std::vector<int>> all;
  std::vector<int> choice(count);
  std::iota(choice.begin(), choice.end(), 0);
  for (;;) {
    if (count <= end) all.push_back(choice);
    int at = count - 1;
    while (at >= 0 && choice[at] >= end - count + at)
      --at;
    if (at < 0) return all;
    std::iota(choice.begin() + at, choice.end(), choice[at] + 1);
  }
}

/// The tuples still to be covered when a factor is added: its values with those of each choice of earlier factors.
class OpenTuples
{
 public:
  OpenTuples(const std::vector<int>& levels, std::vector<std::vector<int>> others, int factor)
      : levels_(levels), others_(std::move(others)), factor_(factor)
  {
    std::size_t size = 0;
    for (const std::vector<int>& choice : others_) {
      begins_.push_back(size);
      std::size_t count = static_cast<std::size_t>(levels_[factor_]);
      for (const int other : choice)
        count *= static_cast<std::size_t>(levels_[other]);
      size += count;
    }
    open_.assign(size, true);
  }

  /// Calls visit(tuple) for every tuple that is open when its turn comes.
  template <typename Visit>
  void for_each(const Visit& visit)
  {
    for (std::size_t c = 0; c < others_.size(); ++c) {
      const std::size_t end = c + 1 < others_.size() ? begins_[c + 1] : open_.size();
      for (std::size_t at = begins_[c]; at < end; ++at)
        if (open_[at]) visit(tuple(c, at - begins_[c]), at);
    }
  }

  void close(std::size_t at) { open_[at] = false; }

  /// Adds to gain[v] the open tuples that `row` would cover with value v of the new factor.
  void add_gains(const Row& row, std::vector<int>& gain) const
  {
    for (std::size_t c = 0; c < others_.size(); ++c) {
      const std::size_t at = position(c, row);
      if (at == kNowhere) continue;
      for (std::size_t v = 0; v < gain.size(); ++v)
        gain[v] += open_[at + v];
    }
  }

  /// Closes what a row covers that has a value of the new factor.
  void close_covered(const Row& row)
  {
    for (std::size_t c = 0; c < others_.size(); ++c) {
      const std::size_t at = position(c, row);
      if (at != kNowhere) open_[at + static_cast<std::size_t>(row[factor_])] = false;
    }
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  /// Where the tuples of choice `c` with the row's values begin, the new factor's value 0 first.
  std::size_t position(std::size_t c, const Row& row) const
  {
    std::size_t index = 0;
    for (const int other : others_[c]) {
      if (row[other] == kOpen) return kNowhere;
      index = index * static_cast<std::size_t>(levels_[other]) + static_cast<std::size_t>(row[other]);
    }
    return begins_[c] + index * static_cast<std::size_t>(levels_[factor_]);
  }

  Row tuple(std::size_t c, std::size_t index) const
  {
    Row row(levels_.size(), kOpen);
    const auto take = [&](int factor) {
      const auto count = static_cast<std::size_t>(levels_[factor]);
      row[factor] = static_cast<int>(index % count);
      index /= count;
    };
    take(factor_);
    for (auto other = others_[c].rbegin(); other != others_[c].rend(); ++other)
      take(*other);
    return row;
  }

  const std::vector<int>& levels_;
  std::vector<std::vector<int>> others_;
  int factor_;
  std::vector<std::size_t> begins_;  // of each choice in open_
  std::vector<char> open_;
};

bool agree(const Row& row, const Row& tuple)
{
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != kOpen && tuple[i] != kOpen && row[i] != tuple[i]) return false;
  return true;
}

/// Writes the tuple into the row if they agree and the result is possible.
bool merge_into(Row& row, const Row& tuple, const Completion& completion)
{
  if (!agree(row, tuple)) return false;
  Row merged = row;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (tuple[i] != kOpen) merged[i] = tuple[i];
  if (!completion.possible(merged)) return false;
  row = std::move(merged);
  return true;
}

/// Horizontal growth: gives each row the value of `factor` that covers most; none where it covers nothing new, so that
/// vertical growth finds room.
void widen_rows(std::vector<Row>& rows, int factor, int level_count, OpenTuples& open, const Completion& completion)
{
  for (Row& row : rows) {
    std::vector<int> gain(level_count, 0);
    open.add_gains(row, gain);
    for (;;) {
      const auto best = std::ranges::max_element(gain);
      if (*best <= 0) break;
      row[factor] = static_cast<int>(best - gain.begin());
      if (completion.possible(row)) break;
      row[factor] = kOpen;
      *best = 0;
    }
    if (row[factor] != kOpen) open.close_covered(row);
  }
}

/// The row that the tuple has been put into: the first with room for it, or a new one.
const Row& place(const Row& tuple, std::vector<Row>& rows, const Completion& completion)
{
  for (Row& row : rows)
    if (merge_into(row, tuple, completion)) return row;
  return rows.emplace_back(tuple);
}

/// Vertical growth: adds what no row could cover by a value of the new factor.
void add_rows(std::vector<Row>& rows, OpenTuples& open, const Completion& completion)
{
  open.for_each([&](const Row& tuple, std::size_t) { open.close_covered(place(tuple, rows, completion)); });
}

/// The ordered factors that come before position `at`, `count` at a time.
std::vector<std::vector<int>> earlier_factors(const std::vector<int>& order, int at, int count)
{
  std::vector<std::vector<int>> all = choices(at, count);
  for (std::vector<int>& choice : all)
    for (int& factor : choice)
      factor = order[factor];
  return all;
}

/// Gives open factors a value and drops rows that become equal to an earlier one.
void finish_rows(std::vector<Row>& rows, const Completion& completion)
{
  std::set<Row> seen;
  std::erase_if(rows, [&](Row& row) {
    completion.complete(row);
    return !seen.insert(row).second;
  });
}

}  // namespace

Completion::Completion(const RowModel& model) : model_(model), rules_of_(model.levels.size())
{
  for (const RowRule& rule : model.rules)
    for (const int factor : rule.factors)
      rules_of_[factor].push_back(&rule);
  for (std::size_t i = 0; i < rules_of_.size(); ++i)
    if (!rules_of_[i].empty()) ruled_.push_back(static_cast<int>(i));
}

bool Completion::possible(Row row) const
{
  const bool allowed_so_far = std::ranges::all_of(
      model_.rules, [&](const RowRule& rule) { return !is_assigned(rule, row) || rule.allows(row); });
  return allowed_so_far && search(row, 0);
}

bool Completion::complete(Row& row) const
{
  if (!possible(row)) return false;
  search(row, 0);
  std::ranges::replace(row, kOpen, 0);
  return true;
}

bool Completion::search(Row& row, std::size_t next) const
{
  while (next < ruled_.size() && row[ruled_[next]] != kOpen)
    ++next;
  if (next == ruled_.size()) return true;
  const int factor = ruled_[next];
  for (int value = 0; value < model_.levels[factor]; ++value) {
    row[factor] = value;
    if (allowed(row, factor) && search(row, next + 1)) return true;
  }
  row[factor] = kOpen;
  return false;
}

bool Completion::allowed(const Row& row, int factor) const
{
  return std::ranges::all_of(rules_of_[factor],
                             [&](const RowRule* rule) { return !is_assigned(*rule, row) || rule->allows(row); });
}

CoveringArray covering_array(const RowModel& model, int strength)
{
  const Completion completion(model);
  std::vector<int> order(model.levels.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](int factor) { return model.levels[factor]; });

  CoveringArray array;
  for (int at = strength - 1; at < static_cast<int>(order.size()); ++at) {
    OpenTuples open(model.levels, earlier_factors(order, at, strength - 1), order[at]);
    open.for_each([&](const Row& tuple, std::size_t position) {
      if (completion.possible(tuple)) return;
      open.close(position);
      array.impossible.push_back(tuple);
    });
    widen_rows(array.rows, order[at], model.levels[order[at]], open, completion);
    add_rows(array.rows, open, completion);
  }
  finish_rows(array.rows, completion);
  return array;
}

}  // namespace flashgate::matrix
