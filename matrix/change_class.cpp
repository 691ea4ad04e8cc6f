#include "matrix/change_class.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "matrix/failure_cover.h"

namespace flashgate::matrix {
namespace {

/// What is equal for cells that changed in one way.
using ChangeKey = std::tuple<ChangeKind, std::string, Verdict, std::string>;

ChangeKey key_of(const CellChange& change) { return {change.kind, change.check_id, change.verdict, change.detail}; }

struct ChangedCell
{
  Cell cell;
  const CellResult* base;
  const CellResult* head;  ///< nullptr: missing
  bool expected;
};

using Groups = std::map<ChangeKey, std::vector<ChangedCell>>;

const CellResult* find_result(const Side& side, const Cell& cell)
{
  const auto found = side.cells.find(cell);
  return found == side.cells.end() ? nullptr : &found->second;
}

const std::vector<sim::TraceStep>& trace_of(const Side& side, const CellResult* result, std::size_t rank)
{
  static const std::vector<sim::TraceStep> none;
  if (result == nullptr || rank >= result->traces.size()) return none;
  const auto found = side.traces.find(result->traces[rank]);
  return found == side.traces.end() ? none : found->second;
}

/// The first rank on which the sides decide differently; 0 if there is none.
std::size_t parting_rank(const Side& base, const Side& head, const ChangedCell& changed)
{
  const std::size_t ranks = changed.head == nullptr ? 0 : changed.head->traces.size();
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (!find_parting(trace_of(base, changed.base, rank), trace_of(head, changed.head, rank)).same) return rank;
  return 0;
}

/// The partings of the cells under a cover; many cells share their traces, so each pair is looked at once.
class PartingCounts
{
 public:
  PartingCounts(const Side& base, const Side& head) : base_(base), head_(head) {}

  void add(const ChangedCell& changed)
  {
    if (changed.head == nullptr) return;
    const auto known = index_.try_emplace({changed.base->traces, changed.head->traces}, places_.size());
    if (known.second) known.first->second = index_of(changed);
    ++places_[known.first->second].cells;
  }

  /// That of `example`, then the others, most cells first.
  std::vector<PartingPlace> take(const ChangedCell& example)
  {
    if (example.head == nullptr) return {};
    std::swap(places_.front(), places_[index_.at({example.base->traces, example.head->traces})]);
    std::stable_sort(places_.begin() + 1, places_.end(),
                     [](const PartingPlace& left, const PartingPlace& right) { return left.cells > right.cells; });
    if (places_.size() > kMostPartings) places_.resize(kMostPartings);
    return std::move(places_);
  }

 private:
  /// Other traces may part at the same place.
  std::size_t index_of(const ChangedCell& changed)
  {
    const std::size_t rank = parting_rank(base_, head_, changed);
    Parting parting = find_parting(trace_of(base_, changed.base, rank), trace_of(head_, changed.head, rank));
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (places_[i].parting.base.same_as(parting.base) && places_[i].parting.head.same_as(parting.head) &&
          places_[i].parting.place() == parting.place())
        return i;
    places_.push_back({std::move(parting), 0});
    return places_.size() - 1;
  }

  const Side& base_;
  const Side& head_;
  std::vector<PartingPlace> places_;
  std::map<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>, std::size_t> index_;
};

std::string route_with_error(const CellResult& result)
{
  return result.error.empty() ? result.route : fmt::format("{} ({})", result.route, result.error);
}

/// The unexpected before the expected, then the one that differs least from the default: a person reads it.
const ChangedCell& pick_example(const std::vector<ChangedCell>& changed, const std::vector<std::size_t>& covered)
{
  const auto rank = [&](std::size_t i) {
    const std::string name = cell_name(changed[i].cell);
    return std::tuple(changed[i].expected, std::count(name.begin(), name.end(), ','), changed[i].cell);
  };
  return changed[*std::min_element(covered.begin(), covered.end(),
                                   [&](std::size_t left, std::size_t right) { return rank(left) < rank(right); })];
}

/// What the cells under one cover have in common.
ChangeClass make_class(const Side& base, const Side& head, const ChangeKey& key,
                       const std::vector<ChangedCell>& changed, const Cover& cover)
{
  ChangeClass made;
  std::tie(made.kind, made.check_id, made.verdict, made.detail) = key;
  made.base_subject = base.subject;
  made.head_subject = head.subject;
  made.condition = cover.condition.text();
  made.cells = static_cast<std::int64_t>(cover.cells.size());
  PartingCounts partings(base, head);
  for (const std::size_t i : cover.cells) {
    made.unexpected += !changed[i].expected;
    partings.add(changed[i]);
  }
  const ChangedCell& example = pick_example(changed, cover.cells);
  made.example_cell = cell_name(example.cell);
  made.base_route = route_with_error(*example.base);
  made.head_route = example.head == nullptr ? "" : route_with_error(*example.head);
  made.partings = partings.take(example);
  const std::size_t rank = parting_rank(base, head, example);
  made.difference = difference_lines(trace_of(base, example.base, rank), trace_of(head, example.head, rank));
  return made;
}

/// Classes come in the order of the reports: what fails the gate, then kind, verdict, size.
void sort_classes(std::vector<ChangeClass>& classes)
{
  std::stable_sort(classes.begin(), classes.end(), [](const ChangeClass& left, const ChangeClass& right) {
    return std::tuple(!left.fails(), left.kind, right.verdict, -left.cells) <
           std::tuple(!right.fails(), right.kind, left.verdict, -right.cells);
  });
}

/// Collects the changes of all cells of a pair of sides, then names them.
class Comparer
{
 public:
  Comparer(const Side& base, const Side& head) : base_(base), head_(head) {}

  template <typename Compare>
  SideComparison compare(Compare&& compare_one)
  {
    for (const auto& [cell, result] : base_.cells)
      add(cell, result, compare_one(result, find_result(head_, cell)));
    for (const auto& [key, changed] : groups_)
      add_classes(key, changed);
    sort_classes(made_.classes);
    return std::move(made_);
  }

 private:
  void add(const Cell& cell, const CellResult& base, const std::vector<CellChange>& changes)
  {
    std::array<bool, kChangeKindCount> counted{}, unexpected{};
    const CellResult* head = find_result(head_, cell);
    for (const CellChange& change : changes) {
      const auto kind = static_cast<std::size_t>(change.kind);
      made_.cells[kind] += !std::exchange(counted[kind], true);
      if (!change.expected) made_.unexpected[kind] += !std::exchange(unexpected[kind], true);
      if (change.kind != ChangeKind::unchanged)
        groups_[key_of(change)].push_back({cell, &base, head, change.expected});
      else if (base.refused && head != nullptr && head->refused)
        unanswered_.push_back(cell);
    }
  }

  void add_classes(const ChangeKey& key, const std::vector<ChangedCell>& changed)
  {
    const Contrast contrast{CellSet(others(std::get<0>(key), std::get<1>(key))), CellSet(unanswered_)};
    std::vector<Cell> cells;
    for (const ChangedCell& one : changed)
      cells.push_back(one.cell);
    for (const Cover& cover : find_covers(cells, contrast))
      made_.classes.push_back(make_class(base_, head_, key, changed, cover));
  }

  /// The cells that have no change of that kind and check, but for those that both sides refuse.
  std::vector<Cell> others(ChangeKind kind, const std::string& check_id) const
  {
    std::map<Cell, bool> taken;
    for (const auto& [key, changed] : groups_)
      if (std::get<0>(key) == kind && std::get<1>(key) == check_id)
        for (const ChangedCell& one : changed)
          taken[one.cell] = true;
    for (const Cell& cell : unanswered_)
      taken[cell] = true;
    std::vector<Cell> rest;
    for (const auto& [cell, result] : base_.cells)
      if (!taken.contains(cell)) rest.push_back(cell);
    return rest;
  }

  const Side& base_;
  const Side& head_;
  Groups groups_;
  std::vector<Cell> unanswered_;
  SideComparison made_;
};

}  // namespace

SideComparison compare_sides(const Side& base, const Side& head) { return Comparer(base, head).compare(compare_cell); }

SideComparison compare_parity(const Side& dev, const Side& pick)
{
  return Comparer(dev, pick).compare([](const CellResult& of_dev, const CellResult* of_pick) {
    return std::vector<CellChange>{compare_parity(of_dev, of_pick)};
  });
}

void append(SideComparison& all, SideComparison more)
{
  for (std::size_t kind = 0; kind < all.cells.size(); ++kind) {
    all.cells[kind] += more.cells[kind];
    all.unexpected[kind] += more.unexpected[kind];
  }
  std::move(more.classes.begin(), more.classes.end(), std::back_inserter(all.classes));
  sort_classes(all.classes);
}

LackingCells lacking_cells(const Side& base, const Side& head)
{
  LackingCells lacking;
  for (const auto& [cell, result] : head.cells) {
    if (base.cells.contains(cell)) continue;
    if (lacking.cells++ == 0) lacking.example = cell_name(cell);
  }
  return lacking;
}

}  // namespace flashgate::matrix
