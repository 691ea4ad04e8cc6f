#include "matrix/expectations.h"

#include <algorithm>

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

void apply_fails_line(ExpectationBook::Use& use, const Judgement& judgement, std::vector<JudgedVerdict>& rows)
{
  const std::optional<Verdict> verdict = verdict_of(judgement, use.line.check);
  if (is_not_judged(verdict) && use.line.cell_pattern.empty()) return;
  ++use.matched;
  JudgedVerdict& row = row_of(rows, use.line.check);
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

void apply_flakes_line(ExpectationBook::Use& use, std::vector<JudgedVerdict>& rows)
{
  for (JudgedVerdict& row : rows) {
    if ((use.line.check >= 0 && row.check != use.line.check) || !is_failure(row.verdict)) continue;
    row.outcome = Outcome::known_flake;
    ++use.matched;
    ++use.failing;
  }
}

}  // namespace

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
  if (covered == 0) return "not_applicable";
  if (line.kind == ExpectationKind::fails && failing < matched) return "unexpected";
  return matched == 0 ? "unused" : "used";
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
    if (use.line.kind == ExpectationKind::fails)
      apply_fails_line(use, judgement, rows);
    else
      apply_flakes_line(use, rows);
  }
  return rows;
}

bool fails_the_run(Verdict verdict, Outcome outcome)
{
  if (outcome == Outcome::unexpected_pass || outcome == Outcome::unexpected_skip) return true;
  return is_failure(verdict) && outcome != Outcome::expected_fail && outcome != Outcome::known_flake;
}

}  // namespace flashgate::matrix
