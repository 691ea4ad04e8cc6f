#include "matrix/expectation_review.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "matrix/execution.h"
#include "matrix/execution_book.h"

namespace flashgate::matrix {
namespace {

/// What a run stored of one cell.
struct StoredAnswers
{
  Judgement judgement;
  CellExecutions executed;
  std::vector<const VerdictRow*> rows;
};

/// Adds a row as the check said it: what expectations made of it on its day is left out.
void add_row(const VerdictRow& row, StoredAnswers& answers)
{
  answers.rows.push_back(&row);
  if (row.outcome == Outcome::unexpected_pass || row.outcome == Outcome::unexpected_skip) return;
  if (const int check = find_check(row.check_id); check >= 0) {
    answers.judgement.findings.emplace_back(check, Finding{true, row.verdict, {}, {}});
  } else if (const auto id = find_execution_check(row.check_id); id && *id != "support") {
    answers.executed.findings.push_back({*id, row.verdict, row.detail});
  }
}

const VerdictRow* row_of(const StoredAnswers& answers, std::string_view check)
{
  for (const VerdictRow* row : answers.rows)
    if (row->check_id == check) return row;
  return nullptr;
}

void add_answer(std::size_t cell, std::string_view check, Verdict verdict, Outcome outcome, const StoredAnswers& stored,
                SubjectReview& review)
{
  const VerdictRow* row = row_of(stored, check);
  review.answers.push_back({cell, std::string(check), verdict, outcome, row == nullptr ? "" : row->detail,
                            row != nullptr && row->outcome == Outcome::flake});
}

/// Judges one subject's cells in the order of their ids.
SubjectReview review_subject(Store& store, std::int64_t run, const SubjectRecord& subject,
                             const std::vector<VerdictRow>& rows, ExpectationBook& book)
{
  std::unordered_map<std::int64_t, StoredAnswers> by_cell;
  for (const VerdictRow& row : rows)
    if (row.subject == subject.id) add_row(row, by_cell[row.cell]);
  std::unordered_set<std::int64_t> executed;
  for (const ExecutedCell& cell : store.executed_cells(run, subject.id))
    executed.insert(cell.cell);

  SubjectReview review;
  review.subject = subject.name;
  for (const StoredCell& stored : store.planned_cells(run, subject.id)) {
    StoredAnswers& answers = by_cell[stored.id];
    answers.judgement.passed = stored.passed_checks;
    if (executed.contains(stored.id)) answers.executed.ids.push_back(1);
    const std::size_t index = review.cells.size();
    review.cells.push_back(stored.cell);
    review.executed.push_back(executed.contains(stored.id));
    review.passed.push_back(stored.passed_checks);
    for (const JudgedVerdict& judged : book.apply(subject.name, stored.cell, answers.judgement))
      add_answer(index, checks()[judged.check].id, judged.verdict, judged.outcome, answers, review);
    for (const ExecutionFinding& judged : book.apply_executions(subject.name, stored.cell, answers.executed))
      add_answer(index, judged.check_id, judged.verdict, judged.outcome, answers, review);
  }
  return review;
}

/// Skips lines have nothing to say about a run that did not skip: what they cover is counted as for a flakes line.
std::vector<Expectation> with_skips_as_flakes(std::vector<Expectation> lines)
{
  for (Expectation& line : lines)
    if (line.kind == ExpectationKind::skips) line.kind = ExpectationKind::flakes;
  return lines;
}

}  // namespace

ExpectationReview review_run(Store& store, std::int64_t run, std::vector<Expectation> lines, const std::string& today)
{
  ExpectationBook book(with_skips_as_flakes(std::move(lines)), today);
  const std::vector<VerdictRow> rows = store.verdict_rows(run);
  ExpectationReview review;
  for (const SubjectRecord& subject : store.subjects(run))
    review.subjects.push_back(review_subject(store, run, subject, rows, book));
  review.uses = book.uses();
  return review;
}

}  // namespace flashgate::matrix
