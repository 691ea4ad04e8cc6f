#include "matrix/failure_class.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "matrix/expectations.h"
#include "matrix/failure_cover.h"
#include "matrix/store.h"

namespace flashgate::matrix {
namespace {

/// What is equal for the cells of a group: the check's place in the table (so that I10 comes after I9; kNoPlan: it is
/// none of plans), its id, worst verdict first, finding.
using GroupKey = std::tuple<int, std::string, int, std::string>;
constexpr int kNoPlan = std::numeric_limits<int>::max();

/// The failing cells of one subject that break one check with one finding.
struct Group
{
  std::vector<Cell> cells;         ///< of a check of plans
  std::vector<std::string> names;  ///< of any other
  std::vector<bool> unexpected;

  std::string name(std::size_t i) const { return cells.empty() ? names[i] : cell_name(cells[i]); }
};

FailureClass make_class(const std::string& subject, const GroupKey& key, const Group& group,
                        const std::vector<std::size_t>& covered)
{
  const auto& [check, check_id, verdict, detail] = key;
  FailureClass made;
  made.subject = subject;
  made.check_id = check_id;
  made.verdict = static_cast<Verdict>(-verdict);
  made.is_of_plans = check != kNoPlan;
  made.detail = detail;
  made.cells = static_cast<std::int64_t>(covered.size());
  std::size_t example = covered.front();
  for (const std::size_t i : covered) {
    if (!group.unexpected[i]) continue;
    if (made.unexpected++ == 0) example = i;
  }
  made.example_cell = group.name(example);
  return made;
}

std::vector<std::size_t> all_of(const Group& group)
{
  std::vector<std::size_t> all(group.unexpected.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The failing rows of one subject, grouped by check and finding.
class SubjectFailures
{
 public:
  SubjectFailures(Store& store, std::int64_t run, const SubjectRecord& subject)
      : subject_(subject), planned_(store.planned_cells(run, subject.id))
  {
    for (const StoredCell& stored : planned_)
      cell_by_id_.emplace(stored.id, stored.cell);
  }

  void add(Store& store, std::int64_t run, const VerdictRow& row)
  {
    if (!is_failure(row.verdict)) return;
    const int check = find_check(row.check_id);
    const auto cell = cell_by_id_.find(row.cell);
    const bool of_plan = check >= 0 && cell != cell_by_id_.end();
    Group& group = groups_[{of_plan ? check : kNoPlan, row.check_id, -static_cast<int>(row.verdict), row.detail}];
    if (of_plan) {
      group.cells.push_back(cell->second);
      failing_[check].insert(row.cell);
    } else {
      group.names.push_back(cell != cell_by_id_.end() ? cell_name(cell->second) : name_of(store, run, row.cell));
    }
    group.unexpected.push_back(fails_the_run(row.verdict, row.outcome));
  }

  std::vector<FailureClass> classes() const
  {
    std::vector<FailureClass> all;
    int check = -1;
    std::optional<Contrast> contrast;
    for (const auto& [key, group] : groups_) {
      if (std::get<0>(key) == kNoPlan) {
        all.push_back(make_class(subject_.name, key, group, all_of(group)));
        continue;
      }
      if (std::get<0>(key) != check) contrast = contrast_of(check = std::get<0>(key));
      for (const Cover& cover : find_covers(group.cells, *contrast)) {
        all.push_back(make_class(subject_.name, key, group, cover.cells));
        all.back().condition = cover.condition.text();
      }
    }
    const auto order = [](const FailureClass& made) {
      return std::tuple(made.is_of_plans ? find_check(made.check_id) : kNoPlan, made.check_id, -made.cells);
    };
    std::ranges::stable_sort(all, {}, order);
    return all;
  }

 private:
  /// Of a cell without a plan.
  const std::string& name_of(Store& store, std::int64_t run, std::int64_t cell)
  {
    if (names_.empty())
      for (auto& [id, name] : store.answered_cells(run, subject_.id))
        names_.emplace(id, std::move(name));
    return names_.at(cell);
  }

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

  const SubjectRecord& subject_;
  std::vector<StoredCell> planned_;
  std::unordered_map<std::int64_t, Cell> cell_by_id_;
  std::unordered_map<std::int64_t, std::string> names_;
  std::map<GroupKey, Group> groups_;
  std::map<int, std::unordered_set<std::int64_t>> failing_;
};

}  // namespace

std::vector<FailureClass> failure_classes(Store& store, std::int64_t run)
{
  const std::vector<VerdictRow> rows = store.verdict_rows(run);
  std::vector<FailureClass> all;
  const std::vector<SubjectRecord> subjects = store.subjects(run);
  for (const SubjectRecord& subject : subjects) {
    SubjectFailures failures(store, run, subject);
    for (const VerdictRow& row : rows)
      if (row.subject == subject.id) failures.add(store, run, row);
    const std::vector<FailureClass> classes = failures.classes();
    all.insert(all.end(), classes.begin(), classes.end());
  }
  return all;
}

}  // namespace flashgate::matrix
