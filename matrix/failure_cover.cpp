#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string_view>

#include "matrix/failure_class.h"

namespace flashgate::matrix {
namespace {

using Attributes = std::array<ValueSet, kAttributeCount>;

using Order = std::vector<int>;

Order order_of(std::initializer_list<std::string_view> names)
{
  Order order;
  for (const std::string_view name : names)
    order.push_back(find_attribute(name));
  return order;
}

/// Orders in which a condition gives its attributes up. Each ends with the words of every dispatch story (version,
/// availability, determinism, path). They differ in what a passing cell at a rare value is blamed on: on the rare
/// value, if the wide axes go first, or on a wide axis. Whichever covers more failing cells is right.
const std::vector<Order>& drop_orders()
{
  static const std::vector<Order> orders{
      order_of({"cute_gradients", "causal_direct", "scale", "dropout", "training", "config_deterministic",
                "config_version", "rank_skew", "cp_size", "mask_columns", "flip", "v4_import", "device", "signature",
                "head_dim", "path", "deterministic", "flag_version", "v4_available"}),
      order_of({"cp_size", "mask_columns", "v4_import", "device", "head_dim", "signature", "path", "deterministic",
                "flag_version", "v4_available", "cute_gradients", "causal_direct", "scale", "dropout", "training",
                "config_deterministic", "config_version", "rank_skew", "flip"}),
      order_of({"head_dim", "signature", "v4_import", "device", "causal_direct", "mask_columns", "flip", "cp_size",
                "rank_skew", "config_version", "config_deterministic", "training", "dropout", "scale", "cute_gradients",
                "path", "deterministic", "flag_version", "v4_available"})};
  return orders;
}

/// Answers whether any cell of a set matches a condition: one bit set over the cells per attribute value.
class CellSet
{
 public:
  explicit CellSet(const std::vector<Cell>& cells) : words_((cells.size() + 63) / 64)
  {
    for (int a = 0; a < kAttributeCount; ++a)
      bits_[a].resize(attributes()[a].values.size() * words_);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Attributes values = attribute_values(cells[i]);
      for (int a = 0; a < kAttributeCount; ++a)
        bits_[a][std::countr_zero(values[a]) * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }

  bool any_matches(const Condition& condition) const
  {
    const std::vector<int> restricted = restricted_attributes(condition);
    if (restricted.empty()) return words_ != 0;
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t left = ~std::uint64_t{0};
      for (const int a : restricted)
        if ((left &= union_of(a, condition.allowed(a), word)) == 0) break;
      if (left != 0) return true;
    }
    return false;
  }

 private:
  static std::vector<int> restricted_attributes(const Condition& condition)
  {
    std::vector<int> restricted;
    for (int a = 0; a < kAttributeCount; ++a)
      if (condition.allowed(a) != all_values(a)) restricted.push_back(a);
    return restricted;
  }

  std::uint64_t union_of(int attribute, ValueSet set, std::size_t word) const
  {
    std::uint64_t all = 0;
    for (; set != 0; set &= set - 1)
      all |= bits_[attribute][std::countr_zero(set) * words_ + word];
    return all;
  }

  std::size_t words_;
  std::array<std::vector<std::uint64_t>, kAttributeCount> bits_;
};

/// What speaks against a condition: the cells that pass, and all that do not fail.
struct Contrast
{
  CellSet passing;
  CellSet not_failing;
};

/// Widens `condition` at `attribute` to `values` if none of `cells` comes in.
bool widen(Condition& condition, int attribute, ValueSet values, const CellSet& cells)
{
  const ValueSet before = condition.allowed(attribute);
  if ((before | values) == before) return false;
  condition.allow(attribute, before | values);
  if (!cells.any_matches(condition)) return true;
  condition.allow(attribute, before);
  return false;
}

/// Admits further values of one attribute, whole ranges first.
void widen_by_values(Condition& condition, int a, const CellSet& passing)
{
  const Attribute& attribute = attributes()[a];
  const ValueSet before = condition.allowed(a);
  if (attribute.ordered)
    for (const AxisValue& bound : attribute.values)
      if (const ValueSet above = values_above(a, bound.number); (above & before) != 0)
        widen(condition, a, above, passing);
  for (std::size_t v = 0; v < attribute.values.size(); ++v)
    widen(condition, a, ValueSet{1} << v, passing);
}

/// The widest condition around one failing cell, greedily in the given order: first as if every cell that does not fail
/// spoke against it, so that it says what the failing cells have in common; then whole attributes go that only cells
/// without an answer kept. The last attribute of an order is given up only after the others were widened.
Condition grow(const Cell& seed, const Order& order, const Contrast& contrast)
{
  const Attributes values = attribute_values(seed);
  Condition condition;
  for (int a = 0; a < kAttributeCount; ++a)
    condition.allow(a, values[a]);
  for (const int a : order)
    if (a != order.back()) widen(condition, a, all_values(a), contrast.not_failing);
  for (const int a : order)
    widen_by_values(condition, a, contrast.not_failing);
  for (const int a : order)
    widen(condition, a, all_values(a), contrast.passing);
  return condition;
}

/// Takes back, in the attributes that are still restricted, the values that no failing cell under the condition has:
/// cells that neither fail nor pass let a condition grow further than anyone would say.
void shrink(Condition& condition, const std::vector<Cell>& failing)
{
  Attributes seen{};
  for (const Cell& cell : failing) {
    const Attributes values = attribute_values(cell);
    if (!condition.matches(values)) continue;
    for (int a = 0; a < kAttributeCount; ++a)
      seen[a] |= values[a];
  }
  for (int a = 0; a < kAttributeCount; ++a)
    if (condition.allowed(a) != all_values(a)) condition.allow(a, seen[a]);
}

/// More cells first, then fewer terms.
bool is_better(const Cover& left, const Cover& right)
{
  if (left.cells.size() != right.cells.size()) return left.cells.size() > right.cells.size();
  return left.condition.term_count() < right.condition.term_count();
}

/// The widest of the covers grown from a few failing cells spread over what is still uncovered.
Cover best_cover(const std::vector<Cell>& failing, const std::vector<std::size_t>& uncovered, const Contrast& contrast)
{
  constexpr std::size_t kSeeds = 4;
  Cover best;
  const std::size_t step = std::max<std::size_t>(1, uncovered.size() / kSeeds);
  for (std::size_t at = 0; at < uncovered.size(); at += step)
    for (const Order& order : drop_orders()) {
      Cover cover{grow(failing[uncovered[at]], order, contrast), {}};
      shrink(cover.condition, failing);
      for (const std::size_t i : uncovered)
        if (cover.condition.matches(failing[i])) cover.cells.push_back(i);
      if (is_better(cover, best)) best = std::move(cover);
    }
  return best;
}

}  // namespace

std::vector<Cover> find_covers(const std::vector<Cell>& failing, const std::vector<Cell>& passing,
                               const std::vector<Cell>& unanswered)
{
  std::vector<Cell> not_failing = passing;
  not_failing.insert(not_failing.end(), unanswered.begin(), unanswered.end());
  const Contrast contrast{CellSet(passing), CellSet(not_failing)};
  std::vector<std::size_t> uncovered(failing.size());
  std::iota(uncovered.begin(), uncovered.end(), 0);
  std::vector<Cover> covers;
  while (!uncovered.empty()) {
    Cover cover = best_cover(failing, uncovered, contrast);
    std::erase_if(uncovered, [&](std::size_t i) { return cover.condition.matches(failing[i]); });
    covers.push_back(std::move(cover));
  }
  return covers;
}

}  // namespace flashgate::matrix
