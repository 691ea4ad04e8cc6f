#include "matrix/failure_class.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "matrix/expectations.h"
#include "matrix/failure_cover.h"
#include "matrix/store.h"

namespace flashgate::matrix {
namespace {

/// The failing cells of one subject that break one check with one finding.
struct Group
{
  std::vector<Cell> cells;
  std::vector<bool> unexpected;
};

/// Check index (so that I10 comes after I9), worst verdict first, finding.
using GroupKey = std::tuple<int, int, std::string>;

FailureClass make_class(const std::string& subject, const GroupKey& key, const Group& group, const Cover& cover)
{
  const auto& [check, verdict, detail] = key;
  FailureClass made;
  made.subject = subject;
  made.check_id = checks()[check].id;
  made.verdict = static_cast<Verdict>(-verdict);
  made.condition = cover.condition.text();
  made.detail = detail;
  made.cells = static_cast<std::int64_t>(cover.cells.size());
  std::size_t example = cover.cells.front();
  for (const std::size_t i : cover.cells) {
    if (!group.unexpected[i]) continue;
    if (made.unexpected++ == 0) example = i;
  }
  made.example_cell = cell_name(group.cells[example]);
  return made;
}

/// The failing rows of one subject, grouped by check and finding.
class SubjectFailures
{
 public:
  explicit SubjectFailures(const std::vector<StoredCell>& planned) : planned_(planned)
  {
    for (const StoredCell& stored : planned)
      cell_by_id_.emplace(stored.id, stored.cell);
  }

  void add(const VerdictRow& row)
  {
    const int check = find_check(row.check_id);
    const auto cell = cell_by_id_.find(row.cell);
    if (check < 0 || cell == cell_by_id_.end() || !is_failure(row.verdict)) return;
    Group& group = groups_[{check, -static_cast<int>(row.verdict), row.detail}];
    group.cells.push_back(cell->second);
    group.unexpected.push_back(fails_the_run(row.verdict, row.outcome));
    failing_[check].insert(row.cell);
  }

  std::vector<FailureClass> classes(const std::string& subject) const
  {
    std::vector<FailureClass> all;
    int check = -1;
    std::optional<Contrast> contrast;
    for (const auto& [key, group] : groups_) {
      if (std::get<0>(key) != check) contrast = contrast_of(check = std::get<0>(key));
      for (const Cover& cover : find_covers(group.cells, *contrast))
        all.push_back(make_class(subject, key, group, cover));
    }
    std::stable_sort(all.begin(), all.end(), [](const FailureClass& left, const FailureClass& right) {
      return std::tuple(find_check(left.check_id), -left.cells) < std::tuple(find_check(right.check_id), -right.cells);
    });
    return all;
  }

 private:
  /// The cells that do not fail a check: those that pass it, or give no answer because the subject itself decided
  /// otherwise; and those where a kernel or an entry refused the request before anybody could know.
  Contrast contrast_of(int check) const
  {
    std::vector<Cell> passing, unanswered;
    const auto& failing = failing_.at(check);
    for (const StoredCell& stored : planned_) {
      if (failing.contains(stored.id)) continue;
      const bool answered = (stored.passed_checks >> check & 1) != 0 || !stored.not_supported;
      (answered ? passing : unanswered).push_back(stored.cell);
    }
    return {CellSet(passing), CellSet(unanswered)};
  }

  const std::vector<StoredCell>& planned_;
  std::unordered_map<std::int64_t, Cell> cell_by_id_;
  std::map<GroupKey, Group> groups_;
  std::map<int, std::unordered_set<std::int64_t>> failing_;
};

}  // namespace

std::vector<FailureClass> failure_classes(Store& store, std::int64_t run)
{
  const std::vector<VerdictRow> rows = store.verdict_rows(run);
  std::vector<FailureClass> all;
  for (const SubjectRecord& subject : store.subjects(run)) {
    const std::vector<StoredCell> planned = store.planned_cells(run, subject.id);
    SubjectFailures failures(planned);
    for (const VerdictRow& row : rows)
      if (row.subject == subject.id) failures.add(row);
    const std::vector<FailureClass> classes = failures.classes(subject.name);
    all.insert(all.end(), classes.begin(), classes.end());
  }
  return all;
}

}  // namespace flashgate::matrix
