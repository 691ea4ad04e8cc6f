#include "matrix/failure_cover.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string_view>

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

std::vector<Attributes> attributes_of(const std::vector<Cell>& cells)
{
  std::vector<Attributes> all(cells.size());
  std::transform(cells.begin(), cells.end(), all.begin(), [](const Cell& cell) { return attribute_values(cell); });
  return all;
}

/// Widens `condition` at `attribute` to `values` if no cell comes in that speaks against it.
template <typename Speaks>
bool widen(Condition& condition, int attribute, ValueSet values, const Speaks& speaks_against)
{
  const ValueSet before = condition.allowed(attribute);
  if ((before | values) == before) return false;
  condition.allow(attribute, before | values);
  if (!speaks_against(condition)) return true;
  condition.allow(attribute, before);
  return false;
}

/// Admits further values of one attribute, whole ranges first.
template <typename Speaks>
void widen_by_values(Condition& condition, int a, const Speaks& speaks_against)
{
  const Attribute& attribute = attributes()[a];
  const ValueSet before = condition.allowed(a);
  if (attribute.ordered)
    for (const AxisValue& bound : attribute.values)
      if (const ValueSet above = values_above(a, bound.number); (above & before) != 0)
        widen(condition, a, above, speaks_against);
  for (std::size_t v = 0; v < attribute.values.size(); ++v)
    widen(condition, a, ValueSet{1} << v, speaks_against);
}

/// The widest condition around one failing cell, greedily in the given order: first as if every cell that does not fail
/// spoke against it, so that it says what the failing cells have in common; then whole attributes go that only cells
/// without an answer kept. The last attribute of an order is given up only after the others were widened.
Condition grow(const Attributes& seed, const Order& order, const Contrast& contrast)
{
  const auto passes = [&](const Condition& wider) { return contrast.passing.any_matches(wider); };
  const auto does_not_fail = [&](const Condition& wider) {
    return contrast.passing.any_matches(wider) || contrast.unanswered.any_matches(wider);
  };
  Condition condition;
  for (int a = 0; a < kAttributeCount; ++a)
    condition.allow(a, seed[a]);
  for (const int a : order)
    if (a != order.back()) widen(condition, a, all_values(a), does_not_fail);
  for (const int a : order)
    widen_by_values(condition, a, does_not_fail);
  for (const int a : order)
    widen(condition, a, all_values(a), passes);
  return condition;
}

/// Takes back, in the attributes that are still restricted, the values that no failing cell under the condition has:
/// cells that neither fail nor pass let a condition grow further than anyone would say.
void shrink(Condition& condition, const std::vector<Attributes>& failing)
{
  Attributes seen{};
  for (const Attributes& values : failing) {
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
Cover best_cover(const std::vector<Attributes>& failing, const std::vector<std::size_t>& uncovered,
                 const Contrast& contrast)
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

std::vector<Cover> find_covers(const std::vector<Cell>& failing, const Contrast& contrast)
{
  const std::vector<Attributes> values = attributes_of(failing);
  std::vector<std::size_t> uncovered(failing.size());
  std::iota(uncovered.begin(), uncovered.end(), 0);
  std::vector<Cover> covers;
  while (!uncovered.empty()) {
    Cover cover = best_cover(values, uncovered, contrast);
    std::erase_if(uncovered, [&](std::size_t i) { return cover.condition.matches(values[i]); });
    covers.push_back(std::move(cover));
  }
  return covers;
}

}  // namespace flashgate::matrix
