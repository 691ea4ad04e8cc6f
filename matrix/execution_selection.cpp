#include "matrix/execution_selection.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "matrix/execution_array.h"

namespace flashgate::matrix {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Hands the rows of the array to pins: the least used row that a pin can carry, comfortable ones first.
class Rotation
{
 public:
  Rotation(const std::vector<NumericsCase>& pins, const std::vector<NumericsCase>& rows)
      : pins_(pins), rows_(rows), row_uses_(rows.size(), 0), pin_uses_(pins.size(), 0)
  {
  }

  /// One case per pin, then one for each row that is still unused. Returns how many rows no pin can carry.
  std::size_t assign(std::vector<NumericsCase>& cases)
  {
    for (const std::size_t pin : dearest_pins_first())
      add(pin, best_row(pin), cases);
    std::size_t unused = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (row_uses_[row] > 0) continue;
      const std::size_t pin = best_pin(row);
      unused += pin == kNone ? 1 : 0;
      add(pin, row, cases);
    }
    return unused;
  }

 private:
  std::vector<std::size_t> dearest_pins_first() const
  {
    std::vector<std::size_t> order(pins_.size());
    for (std::size_t n = 0; n < order.size(); ++n)
      order[n] = n;
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t n) { return cost_of(pins_[n]); });
    return order;
  }

  bool is_dear(std::size_t pin, std::size_t row) const
  {
    return cost_of(with_free_axes(pins_[pin], rows_[row])) > kComfortableCost;
  }

  std::size_t best_row(std::size_t pin) const
  {
    std::size_t best = kNone;
    std::tuple<bool, int> best_key;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (!carries(pins_[pin], rows_[row])) continue;
      const std::tuple<bool, int> key{is_dear(pin, row), row_uses_[row]};
      if (best != kNone && key >= best_key) continue;
      best = row;
      best_key = key;
    }
    return best;
  }

  std::size_t best_pin(std::size_t row) const
  {
    std::size_t best = kNone;
    std::tuple<bool, int> best_key;
    for (std::size_t pin = 0; pin < pins_.size(); ++pin) {
      if (!carries(pins_[pin], rows_[row])) continue;
      const std::tuple<bool, int> key{is_dear(pin, row), pin_uses_[pin]};
      if (best != kNone && key >= best_key) continue;
      best = pin;
      best_key = key;
    }
    return best;
  }

  void add(std::size_t pin, std::size_t row, std::vector<NumericsCase>& cases)
  {
    if (pin == kNone || row == kNone) return;
    ++row_uses_[row];
    ++pin_uses_[pin];
    cases.push_back(with_free_axes(pins_[pin], rows_[row]));
  }

  const std::vector<NumericsCase>& pins_;
  const std::vector<NumericsCase>& rows_;
  std::vector<int> row_uses_;
  std::vector<int> pin_uses_;
};

std::vector<NumericsCase> only(const std::vector<NumericsCase>& cases, const std::vector<std::size_t>& positions)
{
  std::vector<NumericsCase> chosen;
  for (const std::size_t position : positions)
    chosen.push_back(cases[position]);
  return chosen;
}

}  // namespace

ExecutionSelection::ExecutionSelection(const std::set<NumericsCase>& pins, const ExecutionSelectionOptions& options)
{
  const std::vector<NumericsCase> sorted(pins.begin(), pins.end());
  const std::vector<NumericsCase> rows = numerics_array(options.strength);
  array_rows_ = rows.size();
  unused_rows_ = Rotation(sorted, rows).assign(cases_);
  std::ranges::sort(cases_);
  if (options.limit > 0 && cases_.size() > options.limit) cases_ = only(cases_, most_telling(cases_, options.limit));
  for (std::size_t n = 0; n < cases_.size(); ++n) {
    by_pin_[pin_of(cases_[n])].push_back(static_cast<std::uint32_t>(n));
    cases_[n].seed = options.seed;
  }
}

std::span<const std::uint32_t> ExecutionSelection::executions_of(const NumericsCase& pin) const
{
  const auto found = by_pin_.find(pin);
  return found == by_pin_.end() ? std::span<const std::uint32_t>{} : std::span(found->second);
}

}  // namespace flashgate::matrix
