#include "reports/run_changes.h"

#include <algorithm>
#include <map>
#include <tuple>

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

}  // namespace

RunChanges find_changes(const matrix::StoredMatrix& matrix, const std::vector<OlderRun>& history)
{
  RunChanges changes;
  if (history.empty()) return changes;
  const OlderRun& older = history.front();
  changes.older_run = older.run;
  changes.older_started = older.started;
  changes.rows = static_cast<std::int64_t>(matrix.rows.size());
  using Key = std::tuple<std::string, int, matrix::Verdict, std::string, std::string>;
  std::map<Key, ChangedRows> groups;
  for (std::size_t i = 0; i < older.rows.size(); ++i) {
    const matrix::MatrixRow& row = matrix.rows[static_cast<std::size_t>(older.rows[i])];
    ChangedRows one = changed_row(matrix, row, older.verdicts[i]);
    const Key key(one.subject, one.before, one.now, one.check_id, one.detail);
    ++groups.try_emplace(key, std::move(one)).first->second.rows;
  }
  for (auto& [key, group] : groups)
    changes.groups.push_back(std::move(group));
  std::stable_sort(changes.groups.begin(), changes.groups.end(), [](const ChangedRows& left, const ChangedRows& right) {
    return std::tuple(!left.is_worse(), -left.rows) < std::tuple(!right.is_worse(), -right.rows);
  });
  return changes;
}

}  // namespace flashgate::reports
