#include "matrix/expectations.h"

#include <algorithm>
#include <numeric>

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

/// True if the check gave no answer on the cell that could be held against a line.
bool is_not_judged(std::optional<Verdict> verdict)
{
  return !verdict || *verdict == Verdict::not_supported || *verdict == Verdict::skip;
}

void apply_fails_line(ExpectationBook::Use& use, int check, const Judgement& judgement,
                      std::vector<JudgedVerdict>& rows)
{
  const std::optional<Verdict> verdict = verdict_of(judgement, check);
  if (is_not_judged(verdict) && use.line.cell_pattern.empty()) return;
  ++use.matched;
  JudgedVerdict& row = row_of(rows, check);
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

void apply_flakes_line(ExpectationBook::Use& use, int check, const Judgement& judgement,
                       std::vector<JudgedVerdict>& rows)
{
  const std::optional<Verdict> verdict = verdict_of(judgement, check);
  if (is_not_judged(verdict)) return;
  ++use.matched;
  if (!is_failure(*verdict)) return;
  row_of(rows, check).outcome = Outcome::known_flake;
  ++use.failing;
}

/// The checks a line speaks of.
std::vector<int> checks_of(const Expectation& line)
{
  if (!line.checks.empty()) return line.checks;
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
    const auto apply_line = use.line.kind == ExpectationKind::fails ? apply_fails_line : apply_flakes_line;
    for (const int check : checks_of(use.line))
      apply_line(use, check, judgement, rows);
  }
  return rows;
}

bool fails_the_run(Verdict verdict, Outcome outcome)
{
  if (outcome == Outcome::unexpected_pass || outcome == Outcome::unexpected_skip) return true;
  return is_failure(verdict) && outcome != Outcome::expected_fail && outcome != Outcome::known_flake &&
         outcome != Outcome::flake;
}

}  // namespace flashgate::matrix
