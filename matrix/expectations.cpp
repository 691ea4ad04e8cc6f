#include "matrix/expectations.h"

#include <algorithm>
#include <numeric>

#include "matrix/execution_book.h"

namespace flashgate::matrix {
namespace {

/// The verdict of one check in a judgement; empty if it has nothing to judge.
std::optional<Verdict> verdict_of(const Judgement& judgement, int check)
{
  if (judgement.passed >> check & 1) return Verdict::pass;
  for (const auto& [index, finding] : judgement.findings)
    if (index == check) return finding.verdict;
  return std::nullopt;
}

JudgedVerdict& row_of(std::vector<JudgedVerdict>& rows, int check)
{
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const JudgedVerdict& row) { return row.check == check; });
  return found != rows.end() ? *found : rows.emplace_back(JudgedVerdict{check, Verdict::pass, Outcome::as_is, {}});
}

/// The same of a cell's executions: what a check did not find, it passed, if anything was executed.
std::optional<Verdict> verdict_of(const CellExecutions& executed, const std::vector<ExecutionFinding>& rows,
                                  std::string_view check)
{
  const auto found = std::ranges::find(rows, check, &ExecutionFinding::check_id);
  if (found != rows.end()) return found->verdict;
  return executed.ids.empty() ? std::nullopt : std::optional(Verdict::pass);
}

ExecutionFinding& row_of(std::vector<ExecutionFinding>& rows, std::string_view check)
{
  const auto found = std::ranges::find(rows, check, &ExecutionFinding::check_id);
  return found != rows.end() ? *found : rows.emplace_back(ExecutionFinding{check, Verdict::pass, {}});
}

/// True if the check gave no answer on the cell that could be held against a line.
bool is_not_judged(std::optional<Verdict> verdict)
{
  return !verdict || *verdict == Verdict::not_supported || *verdict == Verdict::skip;
}

/// What a fails line makes of a check's answer; `row` is where the answer stands, or would.
template <typename Row>
void apply_fails_line(ExpectationBook::Use& use, std::optional<Verdict> verdict, Row& row)
{
  ++use.matched;
  if (verdict == use.line.verdict) {
    row.outcome = Outcome::expected_fail;
    ++use.failing;
  } else if (!verdict || !is_failure(*verdict)) {
    row.verdict = verdict.value_or(Verdict::skip);
    row.outcome = row.verdict == Verdict::skip || row.verdict == Verdict::not_supported ? Outcome::unexpected_skip
                                                                                        : Outcome::unexpected_pass;
    if (row.detail.empty())
      row.detail = use.line.file + ":" + std::to_string(use.line.line) + " expected a failure: " + use.line.reason;
  }
}

/// Applies a line to one check's answer; `row_of` gives the row where it stands, made if there is none.
template <typename RowOf>
void apply_line(ExpectationBook::Use& use, std::optional<Verdict> verdict, const RowOf& row_of)
{
  const bool fails = use.line.kind == ExpectationKind::fails;
  if (is_not_judged(verdict) && (!fails || use.line.cell_pattern.empty())) return;
  if (fails) return apply_fails_line(use, verdict, row_of());
  ++use.matched;
  if (!is_failure(*verdict)) return;
  row_of().outcome = Outcome::known_flake;
  ++use.failing;
}

/// The checks of plans that a line speaks of.
std::vector<int> checks_of(const Expectation& line)
{
  if (line.names_checks()) return line.checks;
  std::vector<int> all(checks().size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

bool Clause::matches(const std::array<ValueSet, kAttributeCount>& cell) const
{
  return axes.matches(cell) &&
         std::ranges::all_of(names, [&](const Name& name) { return name.condition->matches(cell) != name.negated; });
}

bool NamedCondition::matches(const std::array<ValueSet, kAttributeCount>& cell) const
{
  return std::ranges::any_of(alternatives, [&](const Clause& clause) { return clause.matches(cell); });
}

bool Expectation::covers_subject(const std::string& name) const
{
  return subjects.empty() || std::ranges::find(subjects, name) != subjects.end();
}

bool Expectation::covers_cell(const std::array<ValueSet, kAttributeCount>& attributes, const Cell& cell) const
{
  if (!condition.matches(attributes)) return false;
  return cell_pattern.empty() || std::regex_match(cell_name(cell), cell_regex);
}

ExpectationBook::ExpectationBook(std::vector<Expectation> lines, const std::string& today)
{
  for (Expectation& line : lines) {
    Use use;
    use.expired = line.expiry != "never" && line.expiry < today;
    use.line = std::move(line);
    uses_.push_back(std::move(use));
  }
}

std::string ExpectationBook::Use::status() const
{
  if (expired) return "expired";
  if (matched == 0) return "not_applicable";
  return line.kind == ExpectationKind::fails && failing < matched ? "unexpected" : "used";
}

std::string ExpectationBook::skip_reason(const std::string& subject, const Cell& cell)
{
  const auto attributes = attribute_values(cell);
  for (Use& use : uses_) {
    if (use.expired || use.line.kind != ExpectationKind::skips || !use.line.covers_subject(subject)) continue;
    if (!use.line.covers_cell(attributes, cell)) continue;
    ++use.covered;
    ++use.matched;
    return use.line.reason;
  }
  return {};
}

std::vector<JudgedVerdict> ExpectationBook::apply(const std::string& subject, const Cell& cell,
                                                  const Judgement& judgement)
{
  std::vector<JudgedVerdict> rows;
  for (const auto& [check, finding] : judgement.findings)
    rows.push_back({check, finding.verdict, Outcome::as_is, finding.text()});
  const auto attributes = attribute_values(cell);
  for (Use& use : uses_) {
    const bool judged = !use.expired && use.line.kind != ExpectationKind::skips;
    if (!judged || !use.line.covers_subject(subject) || !use.line.covers_cell(attributes, cell)) continue;
    ++use.covered;
    for (const int check : checks_of(use.line))
      apply_line(use, verdict_of(judgement, check), [&]() -> JudgedVerdict& { return row_of(rows, check); });
  }
  return rows;
}

std::vector<ExecutionFinding> ExpectationBook::apply_executions(const std::string& subject, const Cell& cell,
                                                                const CellExecutions& executed)
{
  std::vector<ExecutionFinding> rows = executed.findings;
  const std::size_t found = rows.size();
  const auto attributes = attribute_values(cell);
  for (Use& use : uses_) {
    const bool judged = !use.expired && use.line.kind != ExpectationKind::skips;
    if (!judged || !use.line.covers_subject(subject) || !use.line.covers_cell(attributes, cell)) continue;
    if (!use.line.names_checks())  // any check, so one that found something
      for (std::size_t i = 0; i < found; ++i)
        apply_line(use, rows[i].verdict, [&]() -> ExecutionFinding& { return rows[i]; });
    for (const std::string_view check : use.line.execution_checks)
      apply_line(use, verdict_of(executed, rows, check), [&]() -> ExecutionFinding& { return row_of(rows, check); });
  }
  return rows;
}

bool fails_the_run(Verdict verdict, Outcome outcome)
{
  if (outcome == Outcome::unexpected_pass || outcome == Outcome::unexpected_skip) return true;
  return is_failure(verdict) && !is_excuse(outcome);
}

}  // namespace flashgate::matrix
