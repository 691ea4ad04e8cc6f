#include "reports/cell_history.h"

#include <string_view>
#include <unordered_map>

namespace flashgate::reports {
namespace {

/// Finds a row by the names of its subject and cell, which are the same in every database.
class RowIndex
{
 public:
  explicit RowIndex(const matrix::StoredMatrix& matrix)
  {
    for (std::size_t i = 0; i < matrix.subjects.size(); ++i)
      subjects_[matrix.subjects[i].name] = static_cast<int>(i);
    for (std::size_t i = 0; i < matrix.cell_names.size(); ++i)
      cells_[matrix.cell_names[i]] = static_cast<int>(i);
    rows_.assign(subjects_.size() * matrix.cell_names.size(), -1);
    for (std::size_t i = 0; i < matrix.rows.size(); ++i)
      rows_[place(matrix.rows[i].subject, matrix.rows[i].cell)] = static_cast<int>(i);
  }

  /// -1 if there is no such row.
  int find(std::string_view subject, std::string_view cell) const
  {
    const auto s = subjects_.find(subject);
    const auto c = cells_.find(cell);
    return s == subjects_.end() || c == cells_.end() ? -1 : rows_[place(s->second, c->second)];
  }

 private:
  std::size_t place(int subject, int cell) const
  {
    return static_cast<std::size_t>(subject) * cells_.size() + static_cast<std::size_t>(cell);
  }

  std::unordered_map<std::string_view, int> subjects_, cells_;
  std::vector<int> rows_;
};

std::vector<int> verdicts_of(const RowIndex& index, std::size_t rows, const HistorySource& source)
{
  std::vector<int> verdicts(rows, -1);
  source.store->for_each_cell_verdict(source.run.id,
                                      [&](std::string_view subject, std::string_view cell, matrix::Verdict verdict) {
                                        const int row = index.find(subject, cell);
                                        if (row >= 0)
                                          verdicts[static_cast<std::size_t>(row)] = static_cast<int>(verdict);
                                      });
  return verdicts;
}

}  // namespace

std::vector<OlderRun> cell_history(const matrix::StoredMatrix& matrix, const std::vector<HistorySource>& sources)
{
  std::vector<OlderRun> history;
  if (sources.empty()) return history;
  const RowIndex index(matrix);
  std::vector<int> newer;
  for (const matrix::MatrixRow& row : matrix.rows)
    newer.push_back(static_cast<int>(row.verdict));
  for (const HistorySource& source : sources) {
    OlderRun& older = history.emplace_back(OlderRun{source.run.name, source.database, source.run.started, {}, {}});
    std::vector<int> verdicts = verdicts_of(index, matrix.rows.size(), source);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (verdicts[i] == newer[i]) continue;
      older.rows.push_back(static_cast<int>(i));
      older.verdicts.push_back(verdicts[i]);
    }
    newer = std::move(verdicts);
  }
  return history;
}

}  // namespace flashgate::reports
