#include "reports/run_changes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>

#include "matrix/failure_cover.h"
#include "reports/support.h"

namespace flashgate::reports {
namespace {

/// The worst finding of a row; nullptr if every check passes.
const matrix::RowFinding* worst_finding(const matrix::StoredMatrix& matrix, const matrix::MatrixRow& row)
{
  const matrix::RowFinding* worst = nullptr;
  for (const int i : matrix.finding_sets[static_cast<std::size_t>(row.findings)]) {
    const matrix::RowFinding& finding = matrix.findings[static_cast<std::size_t>(i)];
    if (worst == nullptr || finding.verdict > worst->verdict) worst = &finding;
  }
  return worst;
}

ChangedRows changed_row(const matrix::StoredMatrix& matrix, const matrix::MatrixRow& row, int before)
{
  ChangedRows changed;
  changed.subject = matrix.subjects[static_cast<std::size_t>(row.subject)].name;
  changed.before = before;
  changed.now = row.verdict;
  changed.example_cell = matrix.cell_names[static_cast<std::size_t>(row.cell)];
  const matrix::RowFinding* worst = worst_finding(matrix, row);
  if (worst == nullptr || row.verdict == matrix::Verdict::pass) return changed;
  changed.check_id = worst->check_id;
  if (worst->detail >= 0) changed.detail = matrix.details[static_cast<std::size_t>(worst->detail)];
  return changed;
}

/// Rows of one group, as indices into StoredMatrix::rows.
struct Group
{
  ChangedRows changed;
  std::vector<int> rows;
};

/// What the groups speak of: rows that changed, in the order of the report.
std::vector<Group> group_rows(const matrix::StoredMatrix& matrix, const OlderRun& older)
{
  std::map<std::tuple<std::string, int, matrix::Verdict, std::string, std::string>, Group> groups;
  for (std::size_t i = 0; i < older.rows.size(); ++i) {
    ChangedRows one = changed_row(matrix, matrix.rows[static_cast<std::size_t>(older.rows[i])], older.verdicts[i]);
    Group& group = groups.try_emplace(one.key(), Group{one, {}}).first->second;
    group.rows.push_back(older.rows[i]);
  }
  std::vector<Group> sorted;
  for (auto& [key, group] : groups)
    sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(), [](const Group& left, const Group& right) {
    return std::tuple(!left.changed.is_worse(), right.rows.size()) <
           std::tuple(!right.changed.is_worse(), left.rows.size());
  });
  return sorted;
}

/// Splits groups into what small conditions cover.
class ChangeNamer
{
 public:
  ChangeNamer(const matrix::StoredMatrix& matrix, const std::vector<Group>& groups) : matrix_(matrix)
  {
    if (groups.empty()) return;
    for (const Group& group : groups)
      for (const int row : group.rows)
        changed_of_row_[row] = &group.changed;
    // A command's tests (`watch`) stand among the cells, without a value on any axis.
    const matrix::DictionaryColumn* path = matrix.find_axis("path");
    for (std::size_t i = 0; i < matrix.cell_names.size(); ++i) {
      const bool is_cell = path != nullptr && !path->values[static_cast<std::size_t>(path->codes[i])].empty();
      cells_.push_back(is_cell ? std::optional(matrix::parse_cell(matrix.cell_names[i])) : std::nullopt);
    }
  }

  std::vector<ChangedRows> name(const Group& group)
  {
    std::vector<matrix::Cell> cells;
    for (const int row : group.rows) {
      if (!cell_of(row)) return {finished(group, group.rows)};
      cells.push_back(*cell_of(row));
    }
    std::vector<ChangedRows> named;
    for (const matrix::Cover& cover : matrix::find_covers(cells, contrast_of(group))) {
      std::vector<int> rows;
      for (const std::size_t i : cover.cells)
        rows.push_back(group.rows[i]);
      named.push_back(finished(group, rows));
      named.back().condition = cover.condition.text();
    }
    return named;
  }

 private:
  const matrix::MatrixRow& row_at(int row) const { return matrix_.rows[static_cast<std::size_t>(row)]; }

  const std::optional<matrix::Cell>& cell_of(int row) const
  {
    return cells_[static_cast<std::size_t>(row_at(row).cell)];
  }

  ChangedRows finished(const Group& group, const std::vector<int>& rows) const
  {
    ChangedRows changed = group.changed;
    changed.rows = static_cast<std::int64_t>(rows.size());
    changed.example_cell = matrix_.cell_names[static_cast<std::size_t>(row_at(rows.front()).cell)];
    return changed;
  }

  /// Groups that differ in the finding alone have the same contrast.
  using Key = std::tuple<int, int, matrix::Verdict, std::string>;

  const matrix::Contrast& contrast_of(const Group& group)
  {
    const ChangedRows& changed = group.changed;
    const int subject = row_at(group.rows.front()).subject;
    const auto known = contrasts_.find({subject, changed.before, changed.now, changed.check_id});
    if (known != contrasts_.end()) return known->second;
    return contrasts_
        .emplace(Key{subject, changed.before, changed.now, changed.check_id}, make_contrast(subject, changed))
        .first->second;
  }

  /// The subject's rows that did not change in that way, whatever the finding; those that it refuses as before may lie
  /// under a condition.
  matrix::Contrast make_contrast(int subject, const ChangedRows& like) const
  {
    std::vector<matrix::Cell> unlike, refused;
    for (int row = 0; row < static_cast<int>(matrix_.rows.size()); ++row) {
      if (row_at(row).subject != subject || !cell_of(row)) continue;
      const auto changed = changed_of_row_.find(row);
      if (changed == changed_of_row_.end())
        (is_refused(matrix_, row_at(row)) ? refused : unlike).push_back(*cell_of(row));
      else if (!is_same_change(*changed->second, like))
        unlike.push_back(*cell_of(row));
    }
    return {matrix::CellSet(unlike), matrix::CellSet(refused)};
  }

  static bool is_same_change(const ChangedRows& left, const ChangedRows& right)
  {
    return std::tie(left.before, left.now, left.check_id) == std::tie(right.before, right.now, right.check_id);
  }

  const matrix::StoredMatrix& matrix_;
  std::vector<std::optional<matrix::Cell>> cells_;
  std::unordered_map<int, const ChangedRows*> changed_of_row_;
  std::map<Key, matrix::Contrast> contrasts_;
};

void count_rows(RunChanges& changes, const Group& group)
{
  std::int64_t& rows = group.changed.before < 0   ? changes.fresh
                       : group.changed.is_worse() ? changes.worse
                                                  : changes.better;
  rows += static_cast<std::int64_t>(group.rows.size());
}

/// Of the first rank on which the runs decide differently, else of rank 0; none if a run has no decisions of the cell.
std::optional<matrix::Parting> parting_of(const matrix::RankTraces& older, const matrix::RankTraces& newer)
{
  std::optional<matrix::Parting> first;
  for (std::size_t rank = 0; rank < std::min(older.size(), newer.size()); ++rank) {
    const matrix::Parting parting = matrix::find_parting(older[rank], newer[rank]);
    if (!parting.same) return parting;
    if (!first) first = parting;
  }
  return first;
}

}  // namespace

RunChanges find_changes(const matrix::StoredMatrix& matrix, const std::vector<OlderRun>& history)
{
  RunChanges changes;
  if (history.empty()) return changes;
  changes.older_run = history.front().run;
  changes.older_started = history.front().started;
  changes.rows = static_cast<std::int64_t>(matrix.rows.size());
  const std::vector<Group> groups = group_rows(matrix, history.front());
  ChangeNamer namer(matrix, groups);
  for (const Group& group : groups) {
    count_rows(changes, group);
    if (changes.groups.size() >= kMostChanges)
      ++changes.left_out;
    else
      std::ranges::move(namer.name(group), std::back_inserter(changes.groups));
  }
  return changes;
}

void add_deciding(RunChanges& changes, const HistorySource& newer, const HistorySource& older)
{
  for (ChangedRows& group : changes.groups)
    if (group.before >= 0)
      group.deciding = parting_of(older.store->rank_traces(older.run.id, group.subject, group.example_cell),
                                  newer.store->rank_traces(newer.run.id, group.subject, group.example_cell));
}

}  // namespace flashgate::reports
