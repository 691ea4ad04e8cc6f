#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "app/bisect_report.h"
#include "app/command_line.h"
#include "matrix/bisection.h"
#include "matrix/cell_filter.h"
#include "matrix/cell_probe.h"
#include "matrix/checks.h"
#include "matrix/constraints.h"
#include "matrix/enumerator.h"
#include "matrix/route_difference.h"
#include "matrix/side_reader.h"
#include "matrix/subjects.h"
#include "matrix/suite.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "reports/gate.h"
#include "sim/checkout/git_repository.h"

namespace flashgate::app {
namespace {

using matrix::Cell;
using matrix::CommitState;

/// Cells that are asked for at each commit, if a check is looked for.
constexpr std::size_t kMostCells = 200;

int find_wanted_check(const std::string& id)
{
  const int check = id.empty() ? -1 : matrix::find_check(id);
  if (!id.empty() && check < 0)
    throw Error(
        fmt::format("--check '{}': expected one of I1 ... I{}", matrix::printable(id), matrix::checks().size()));
  return check;
}

Cell named_cell(const std::string& name)
{
  const Cell cell = matrix::parse_cell(name);
  if (const std::string_view reason = matrix::excluded_by(cell); !reason.empty())
    throw Error(fmt::format("--cell {}: excluded, {}", name, reason));
  return cell;
}

std::vector<Cell> suite_cells(const CommandLine& line)
{
  const std::string suite = line.gate.suite.empty() ? "dispatch" : line.gate.suite;
  return matrix::filter_cells(matrix::enumerate(matrix::load_suite(line.run.suites_folder, suite)).cells,
                              {line.run.include, line.run.exclude});
}

/// At most kMostCells of them, spread over all.
std::vector<Cell> spread(const std::vector<Cell>& cells)
{
  const std::size_t step = (cells.size() + kMostCells - 1) / kMostCells;
  std::vector<Cell> chosen;
  for (std::size_t i = 0; i < cells.size(); i += step)
    chosen.push_back(cells[i]);
  return chosen;
}

class CommitSearch
{
 public:
  explicit CommitSearch(const CommandLine& line)
      : line_(line), repository_(line.bisect.repository), check_(find_wanted_check(line.bisect.check))
  {
    if (line.cell.empty() && line.bisect.check.empty()) throw Error("bisect: expected --cell or --check");
    good_ = repository_.commit(line.bisect.good);
    bad_ = repository_.commit(line.bisect.bad);
    commits_ = repository_.commits_between(good_.id, bad_.id);
    if (commits_.empty() || commits_.back().id != bad_.id)
      throw Error(fmt::format("bisect: {} has no commit after {}", line.bisect.bad, line.bisect.good));
    choose_cells();
  }

  void search()
  {
    result_ = matrix::bisect(commits_.size(), [&](std::size_t at) { return ask(at); });
    failure_ = matrix::probe(*subject_at(commits_[result_.first_bad]), cells_, check_);
  }

  BisectReport report() const
  {
    const Cell& cell = failure_->cell;
    BisectReport report;
    report.first_bad = commits_[result_.first_bad];
    report.last_good = last_good();
    report.cell = matrix::cell_name(cell);
    report.check_id = failure_->check_id;
    report.detail = failure_->detail;
    const sim::RankPlan before = plan_at(report.last_good, cell), after = plan_at(report.first_bad, cell);
    report.before = matrix::route_text(before);
    report.after = matrix::route_text(after);
    report.decided_by = reports::deciding_text(matrix::find_parting(before.trace, after.trace));
    report.asked = result_.asked.size();
    report.commits = commits_.size();
    report.cells = cells_.size();
    for (const std::size_t suspect : result_.suspects)
      report.suspects.push_back(commits_[suspect]);
    report.skipped = skipped_;
    return report;
  }

 private:
  matrix::SubjectPtr subject_at(const sim::Commit& commit) const
  {
    return matrix::find_subject(fmt::format("fleet:{}@{}", line_.bisect.repository, commit.id));
  }

  std::vector<Cell> failing_at(const std::string& ref, const sim::Commit& commit, const std::vector<Cell>& cells) const
  {
    try {
      return matrix::failing_cells(*subject_at(commit), cells, check_);
    } catch (const Error& error) {
      throw Error(fmt::format("bisect: {} ({}) can't be asked: {}", ref, commit_line(commit), error.what()));
    }
  }

  /// With a check but no cell, the cells on which it fails at the bad ref and not at the good one.
  void choose_cells()
  {
    const std::vector<Cell> candidates = line_.cell.empty() ? suite_cells(line_) : std::vector{named_cell(line_.cell)};
    const std::vector<Cell> failing = failing_at(line_.bisect.bad, bad_, candidates);
    if (failing.empty())
      throw Error(fmt::format("bisect: {} ({}) is not bad: {}", line_.bisect.bad, commit_line(bad_), nothing_fails()));
    std::vector<Cell> before = failing_at(line_.bisect.good, good_, failing);
    std::sort(before.begin(), before.end());
    for (const Cell& cell : failing)
      if (!std::binary_search(before.begin(), before.end(), cell)) cells_.push_back(cell);
    if (cells_.empty())
      throw Error(fmt::format("bisect: {} ({}) is already bad: {}", line_.bisect.good, commit_line(good_),
                              already_fails(failing)));
    cells_ = spread(cells_);
  }

  std::string nothing_fails() const
  {
    const std::string what = line_.bisect.check.empty() ? "no check" : line_.bisect.check + " does not fail";
    if (!line_.bisect.check.empty()) return line_.cell.empty() ? what + " on any cell" : what + " on the cell";
    return what + " fails on the cell";
  }

  std::string already_fails(const std::vector<Cell>& failing) const
  {
    const auto failure = matrix::probe(*subject_at(good_), failing, check_);
    return fmt::format("{} fails on {}, {}", failure->check_id, matrix::cell_name(failure->cell), failure->detail);
  }

  CommitState ask(std::size_t at)
  {
    try {
      return matrix::probe(*subject_at(commits_[at]), cells_, check_) ? CommitState::bad : CommitState::good;
    } catch (const Error& error) {
      skipped_.push_back({commits_[at], error.what()});
      return CommitState::skipped;
    }
  }

  const sim::Commit& last_good() const
  {
    const std::size_t first = result_.first_bad - result_.suspects.size();
    return first == 0 ? good_ : commits_[first - 1];
  }

  /// Rank 0's plan, with its trace.
  sim::RankPlan plan_at(const sim::Commit& commit, const Cell& cell) const
  {
    sim::CellPlan plan;
    subject_at(commit)->plan(matrix::to_request(cell), true, plan);
    return plan.rank(0);
  }

  const CommandLine& line_;
  sim::GitRepository repository_;
  int check_;
  sim::Commit good_, bad_;
  std::vector<sim::Commit> commits_;  // after good_, oldest first; the last one is bad_
  std::vector<Cell> cells_;
  std::vector<SkippedCommit> skipped_;
  matrix::Bisection result_;
  std::optional<matrix::ProbeFailure> failure_;
};

}  // namespace

int bisect_verb(const CommandLine& line)
{
  CommitSearch search(line);
  search.search();
  if (line.json)
    write_bisect_json(std::cout, search.report());
  else
    write_bisect_text(std::cout, search.report());
  return 0;
}

}  // namespace flashgate::app
