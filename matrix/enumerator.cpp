#include "matrix/enumerator.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>
#include <xxhash.h>

#include "matrix/constraints.h"
#include "matrix/covering_array.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

constexpr std::string_view kSeveral = "several constraints together";
constexpr std::string_view kDefaultThere = "the pinned value is the default there";

struct CellHash
{
  std::size_t operator()(const Cell& cell) const { return XXH3_64bits(cell.values.data(), cell.values.size()); }
};

/// The axes that a part varies, on top of the values that it holds fixed.
struct Part
{
  Cell base;
  std::array<bool, kAxisCount> is_set{};  // varied or fixed; the others get the defaults of the cell's path and flip
  std::vector<AxisValues> factors;
  std::optional<AxisId> pinned;  // each_value: the axis whose value must not be the default

  void fix(AxisId id, int value)
  {
    base[id] = static_cast<std::uint8_t>(value);
    is_set[static_cast<std::size_t>(id)] = true;
  }

  void vary(const AxisValues& axis)
  {
    if (is_set[static_cast<std::size_t>(axis.axis)]) return;  // pinned by the suite
    if (axis.values.size() == 1) return fix(axis.axis, axis.values[0]);
    factors.push_back(axis);
    is_set[static_cast<std::size_t>(axis.axis)] = true;
  }

  /// The cell of a row of value positions; open ones are as in `base`.
  Cell cell(const Row& row) const
  {
    Cell cell = base;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i] != kOpen) cell[factors[i].axis] = static_cast<std::uint8_t>(factors[i].values[row[i]]);
    fill_defaults(cell, is_set);
    return cell;
  }

  std::vector<int> levels() const
  {
    std::vector<int> result;
    for (const AxisValues& factor : factors)
      result.push_back(static_cast<int>(factor.values.size()));
    return result;
  }
};

Part part_of(const Suite& suite)
{
  Part part;
  for (const AxisValues& pin : suite.pinned)
    part.fix(pin.axis, pin.values.front());
  return part;
}

/// The factors that decide the value of one of `ids`: the axis itself, or what its default depends on.
std::vector<int> factors_behind(const Part& part, const std::vector<AxisId>& ids)
{
  std::vector<int> result;
  for (int i = 0; i < static_cast<int>(part.factors.size()); ++i) {
    const AxisId factor = part.factors[i].axis;
    const bool steers_defaults = factor == AxisId::path || factor == AxisId::flip;
    const auto reads = [&](AxisId id) {
      const bool is_default = !part.is_set[static_cast<std::size_t>(id)] && axis(id).default_index != nullptr;
      return id == factor || (is_default && steers_defaults);
    };
    if (std::ranges::any_of(ids, reads)) result.push_back(i);
  }
  return result;
}

/// The rules of a part's rows with the reason of each.
struct PartRules
{
  RowModel model;
  std::vector<std::string_view> reasons;
};

PartRules rules_of(const Part& part)
{
  PartRules rules{{part.levels(), {}}, {}};
  for (const Constraint& constraint : constraints()) {
    const auto allows = [&](const Row& row) { return constraint.allows(part.cell(row)); };
    rules.model.rules.push_back({factors_behind(part, constraint.reads), allows});
    rules.reasons.push_back(constraint.reason);
  }
  if (!part.pinned) return rules;
  const Axis& pinned = axis(*part.pinned);
  const auto differs = [&part, &pinned](const Row& row) {
    const Cell cell = part.cell(row);
    return cell[pinned.id] != (pinned.default_index == nullptr ? 0 : pinned.default_index(cell));
  };
  rules.model.rules.push_back({factors_behind(part, {AxisId::path, AxisId::flip}), differs});
  rules.reasons.push_back(kDefaultThere);
  return rules;
}

/// The first rule that forbids each tuple alone.
void count_impossible(const PartRules& rules, const std::vector<Row>& tuples,
                      std::map<std::string, std::int64_t>& count)
{
  std::vector<RowModel> models;
  for (const RowRule& rule : rules.model.rules)
    models.push_back({rules.model.levels, {rule}});
  const std::vector<Completion> alone(models.begin(), models.end());
  for (const Row& tuple : tuples) {
    const auto found = std::ranges::find_if(alone, [&](const Completion& rule) { return !rule.possible(tuple); });
    const auto index = static_cast<std::size_t>(found - alone.begin());
    ++count[std::string(found == alone.end() ? kSeveral : rules.reasons[index])];
  }
}

/// Collects the cells of the parts, in order.
class Collector
{
 public:
  explicit Collector(const Suite& suite) : suite_(suite) {}

  void add(const Selection& selection)
  {
    switch (selection.kind) {
      case SelectionKind::product:
        return add_product(selection);
      case SelectionKind::array:
        return add_array(varied(selection), selection);
      case SelectionKind::each_value:
        return add_each_value(selection);
      case SelectionKind::cells:
        return add_cells(selection);
    }
  }

  Enumeration take() { return std::move(result_); }

 private:
  Part varied(const Selection& selection) const
  {
    Part part = part_of(suite_);
    for (const AxisValues& axis : selection.axes)
      part.vary(axis);
    return part;
  }

  /// Adds a cell of the current part.
  void add(const Cell& cell, const Selection& selection)
  {
    const auto [place, is_new] = part_of_cell_.emplace(cell, part_);
    if (is_new)
      result_.cells.push_back(cell);
    else if (place->second != part_)
      ++result_.merged;
    else
      throw Error(
          fmt::format("{}: cell '{}' selected twice by one part, expected once", selection.where, cell_name(cell)));
  }

  void add_cells(const Selection& selection)
  {
    ++part_;
    for (const Cell& cell : selection.cells)
      add(cell, selection);
  }

  void add_product(const Selection& selection)
  {
    ++part_;
    const Part part = varied(selection);
    const std::vector<int> levels = part.levels();
    Row row(levels.size(), 0);
    for (bool more = true; more;) {
      const Cell cell = part.cell(row);
      const std::string_view reason = excluded_by(cell);
      if (reason.empty())
        add(cell, selection);
      else
        ++result_.excluded_by_reason[std::string(reason)];
      std::size_t at = row.size();
      while (at > 0 && ++row[at - 1] == levels[at - 1])
        row[--at] = 0;
      more = at > 0;
    }
  }

  void add_array(const Part& part, const Selection& selection)
  {
    ++part_;
    if (selection.strength > static_cast<int>(part.factors.size()))
      throw Error(fmt::format("{}: strength {} over {} axes with more than one value, expected at least as many axes",
                              selection.where, selection.strength, part.factors.size()));
    const PartRules rules = rules_of(part);
    const Row nothing_chosen(part.factors.size(), kOpen);
    if (!Completion(rules.model).possible(nothing_chosen))  // no cell at all: say so once, not tuple by tuple
      return count_impossible(rules, {nothing_chosen}, result_.impossible_tuples_by_reason);
    const CoveringArray array = covering_array(rules.model, selection.strength);
    for (const Row& row : array.rows)
      add(part.cell(row), selection);
    count_impossible(rules, array.impossible, result_.impossible_tuples_by_reason);
  }

  void add_each_value(const Selection& selection)
  {
    for (const AxisValues& axis_values : selection.axes) {
      if (is_pinned(axis_values.axis)) continue;
      for (const int value : axis_values.values)
        if (value != 0 || axis(axis_values.axis).default_index != nullptr)
          add_array(core_with(axis_values.axis, value), selection);
    }
  }

  bool is_pinned(AxisId id) const
  {
    return std::ranges::find(suite_.pinned, id, &AxisValues::axis) != suite_.pinned.end();
  }

  Part core_with(AxisId pinned, int value) const
  {
    Part part = part_of(suite_);
    part.fix(pinned, value);
    part.pinned = pinned;
    for (const Axis& a : axes())
      if (a.core) part.vary(every_value(a));
    return part;
  }

  const Suite& suite_;
  Enumeration result_;
  std::unordered_map<Cell, int, CellHash> part_of_cell_;
  int part_ = 0;  // each array of kind each_value is a part of its own
};

}  // namespace

std::map<std::string, std::int64_t> left_out(const Enumeration& enumeration)
{
  std::map<std::string, std::int64_t> all = enumeration.excluded_by_reason;
  for (const auto& [reason, count] : enumeration.impossible_tuples_by_reason)
    all["value tuples: " + reason] += count;
  return all;
}

Enumeration enumerate(const Suite& suite)
{
  Collector collector(suite);
  for (const Selection& selection : suite.selections)
    collector.add(selection);
  return collector.take();
}

}  // namespace flashgate::matrix
