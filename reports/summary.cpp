#include "reports/summary.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "matrix/checks.h"
#include "matrix/execution.h"
#include "matrix/expectations.h"
#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

/// Sorts I2 before I10, and what isn't I and a number behind them all, by name.
std::tuple<bool, std::size_t, std::string> check_order(const std::string& id)
{
  const bool numbered = id.size() > 1 && id[0] == 'I' && id.find_first_not_of("0123456789", 1) == std::string::npos;
  return {!numbered, numbered ? id.size() : 0, id};
}

std::vector<CheckHeading> headings(const SummarySource& source)
{
  std::vector<CheckHeading> result;
  for (const matrix::VerdictCount& count : source.counts) {
    const auto same = [&](const CheckHeading& heading) { return heading.id == count.check_id; };
    if (std::any_of(result.begin(), result.end(), same)) continue;
    const auto title = source.titles.find(count.check_id);
    result.push_back({count.check_id, title == source.titles.end() ? "" : title->second});
  }
  std::sort(result.begin(), result.end(), [](const CheckHeading& left, const CheckHeading& right) {
    return check_order(left.id) < check_order(right.id);
  });
  return result;
}

void add_count(CheckCounts& counts, const matrix::VerdictCount& count)
{
  using matrix::Verdict;
  counts.worst = matrix::worse(counts.worst, count.verdict);
  if (matrix::fails_the_run(count.verdict, count.outcome))
    (matrix::is_failure(count.verdict) ? counts.failed : counts.absent) += count.cells;
  else if (matrix::is_failure(count.verdict)) {
    counts.expected += count.cells;
    if (count.outcome != matrix::Outcome::expected_fail) counts.flaky += count.cells;
  } else if (count.verdict == Verdict::pass)
    counts.passed += count.cells;
  else if (count.verdict == Verdict::warn || count.verdict == Verdict::mistrusted)
    counts.warned += count.cells;
  else
    counts.not_supported += count.cells;
}

std::vector<CheckCounts> counts_of(const SummarySource& source, std::int64_t subject,
                                   const std::vector<CheckHeading>& checks)
{
  std::vector<CheckCounts> result(checks.size());
  for (const matrix::VerdictCount& count : source.counts) {
    if (count.subject != subject) continue;
    for (std::size_t i = 0; i < checks.size(); ++i)
      if (checks[i].id == count.check_id) add_count(result[i], count);
  }
  return result;
}

bool comes_first(const matrix::FailureClass& left, const matrix::FailureClass& right)
{
  const auto key = [](const matrix::FailureClass& failure) {
    return std::tuple(failure.unexpected == 0, -static_cast<int>(failure.verdict), -failure.unexpected,
                      check_order(failure.check_id), -failure.cells);
  };
  return key(left) < key(right);
}

std::vector<matrix::FailureClass> classes_of(const SummarySource& source, const std::string& subject)
{
  std::vector<matrix::FailureClass> result;
  for (const matrix::FailureClass& failure : source.classes)
    if (failure.subject == subject) result.push_back(failure);
  std::stable_sort(result.begin(), result.end(), comes_first);
  return result;
}

bool is_problem(const matrix::ExpectationUse& use) { return use.status != "used" && use.status != "not_applicable"; }

std::string failures_text(const RunSummary& summary)
{
  const CheckCounts total = summary.totals();
  std::string text = count_of(total.failed, summary.run.with_expectations ? "unexpected failure" : "failure");
  if (const auto classes = summary.class_count(true); classes > 0) text += " in " + count_of(classes, "class");
  if (total.absent > 0) text += ", " + count_of(total.absent, "expected failure") + " that did not come";
  return text;
}

std::string expected_text(const RunSummary& summary)
{
  const CheckCounts total = summary.totals();
  if (total.expected == 0) return {};
  std::string text;
  if (total.expected > total.flaky) text = "; " + count_of(total.expected - total.flaky, "expected failure");
  if (total.flaky > 0) text += (text.empty() ? "; " : " and ") + count_of(total.flaky, "flake");
  const std::int64_t classes = summary.class_count(false);
  return classes == 0 ? text : text + " in " + count_of(classes, "class");
}

/// What made a run fail in which every verdict is as expected.
std::string failure_without_verdict(const RunSummary& summary)
{
  const auto lines = static_cast<std::int64_t>(summary.expectation_problems.size());
  if (lines == 0) return fmt::format("the run ended with exit code {}", summary.run.exit_code);
  return count_of(lines, "expectation line") + (lines == 1 ? " does" : " do") + " not hold";
}

/// A merged run's parts say when they ran; a shard's own part leaves that to the run.
bool is_merged(const RunSummary& summary) { return !summary.parts.empty() && !summary.parts.front().started.empty(); }

/// "3 of 4 shards".
std::string merged_text(const RunSummary& summary)
{
  const std::string& shard = summary.parts.front().shard;
  return fmt::format("{} of {}", summary.parts.size(),
                     count_of(std::atoll(shard.substr(shard.find('/') + 1).c_str()), "shard"));
}

/// How far an unfinished run came.
std::string reached_text(const RunSummary& summary)
{
  if (is_merged(summary)) return merged_text(summary) + " merged";
  return fmt::format("{} of {} judged", group_digits(summary.judged), count_of(summary.run.selected, "cell"));
}

std::string parts_text(const RunSummary& summary)
{
  if (summary.parts.empty()) return {};
  return is_merged(summary) ? ", merged from " + merged_text(summary)
                            : fmt::format(", shard {} alone", summary.parts.front().shard);
}

}  // namespace

void CheckCounts::add(const CheckCounts& other)
{
  passed += other.passed;
  warned += other.warned;
  not_supported += other.not_supported;
  failed += other.failed;
  absent += other.absent;
  expected += other.expected;
  flaky += other.flaky;
  worst = matrix::worse(worst, other.worst);
}

CheckCounts RunSummary::totals() const
{
  CheckCounts total;
  for (const SubjectSummary& subject : subjects)
    for (const CheckCounts& counts : subject.checks)
      total.add(counts);
  return total;
}

std::int64_t RunSummary::class_count(bool unexpected) const
{
  std::int64_t count = 0;
  for (const SubjectSummary& subject : subjects)
    for (const matrix::FailureClass& failure : subject.classes)
      count += (failure.unexpected > 0) == unexpected;
  return count;
}

/// What was seen decides; the exit code can only make it worse.
RunState RunSummary::state() const
{
  const CheckCounts total = totals();
  if (total.unexpected() > 0 || run.exit_code == 1 || run.exit_code == 3) return RunState::failed;
  if (run.exit_code == 5 || (total.empty() && !run.finished.empty())) return RunState::nothing_ran;
  if (run.exit_code == 2 || run.finished.empty()) return RunState::incomplete;
  return RunState::ok;
}

RunSummary summarize(const SummarySource& source)
{
  RunSummary summary;
  summary.run = source.run;
  summary.checks = headings(source);
  summary.excluded = source.excluded;
  summary.executions = source.executions;
  summary.worst_ratios = source.worst_ratios;
  summary.unpromised_bits = source.unpromised_bits;
  summary.judged = source.judged;
  summary.parts = source.parts;
  for (const matrix::SubjectRecord& subject : source.subjects)
    summary.subjects.push_back({subject.name, subject.description, counts_of(source, subject.id, summary.checks),
                                classes_of(source, subject.name)});
  std::copy_if(source.uses.begin(), source.uses.end(), std::back_inserter(summary.expectation_problems), is_problem);
  return summary;
}

RunSummary load_summary(matrix::Store& store, const matrix::RunRecord& run)
{
  // Half of the work, and nothing else needs it; a Store belongs to one thread.
  auto classes = std::async(std::launch::async, [&] {
    matrix::Store own = matrix::Store::open_read_only(store.path());
    return matrix::failure_classes(own, run.id);
  });
  SummarySource source;
  source.run = run;
  source.subjects = store.subjects(run.id);
  source.counts = store.verdict_counts(run.id);
  source.uses = store.expectation_uses(run.id);
  source.excluded = store.excluded(run.id);
  source.executions = store.execution_counts(run.id);
  source.worst_ratios = store.worst_ratios(run.id);
  source.unpromised_bits = store.unpromised_bits(run.id);
  source.judged = run.finished.empty() ? store.judged_cells(run.id) : run.selected;
  source.parts = store.parts(run.id);
  for (const matrix::Check& check : matrix::checks())
    source.titles[std::string(check.id)] = check.title;
  for (const matrix::ExecutionCheck& check : matrix::execution_checks())
    source.titles[std::string(check.id)] = check.title;
  source.classes = classes.get();
  return summarize(source);
}

std::string headline(const RunSummary& summary)
{
  const RunState state = summary.state();
  if (state == RunState::nothing_ran) return "NOTHING RAN: the run has no verdicts, so it says nothing";
  if (state == RunState::ok)
    return "OK: " + std::string(summary.run.with_expectations ? "no unexpected failure" : "no failure") +
           expected_text(summary);
  const std::string seen = failures_text(summary) + expected_text(summary);
  const bool unfinished = summary.run.finished.empty();
  if (state == RunState::incomplete)
    return fmt::format("INCOMPLETE: {}{} so far", unfinished ? reached_text(summary) + "; " : "", seen);
  if (summary.totals().unexpected() == 0) return "FAILED: " + failure_without_verdict(summary) + expected_text(summary);
  return fmt::format("FAILED: {}{}", seen, unfinished ? " so far; " + reached_text(summary) : "");
}

/// RunRecord::selected counts every cell once per subject.
std::string run_line(const RunSummary& summary)
{
  const matrix::RunRecord& run = summary.run;
  const auto subjects = static_cast<std::int64_t>(summary.subjects.size());
  const std::int64_t each = subjects > 0 ? run.selected / subjects : run.selected;
  const std::string extent = run.finished.empty()
                                 ? reached_text(summary)
                                 : fmt::format("{} x {}", count_of(subjects, "subject"), count_of(each, "cell"));
  return fmt::format("run {} of suite {}, seed {}: {}{}{}", run.name, run.suite, run.seed, extent,
                     is_merged(summary) && run.finished.empty() ? "" : parts_text(summary),
                     run.with_expectations ? "" : ", without expectations");
}

std::string next_step(const RunSummary& summary)
{
  const matrix::RunRecord& run = summary.run;
  if (!run.finished.empty()) return {};
  if (is_merged(summary)) return "finish the other shards, then merge again";
  if (!run.options.starts_with("flashgate run ")) return {};
  return fmt::format("continue with: {}{}", run.options, run.options.ends_with(" --resume") ? "" : " --resume");
}

}  // namespace flashgate::reports
