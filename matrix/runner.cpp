#include "matrix/runner.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <optional>
#include <thread>
#include <unordered_set>

#include <fmt/format.h>

#include "matrix/checks.h"
#include "matrix/enumerator.h"
#include "matrix/expectations.h"
#include "matrix/provenance.h"
#include "matrix/run_selection.h"
#include "matrix/source_coverage.h"
#include "matrix/subjects.h"
#include "matrix/suite_executions.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "sim/dispatch/rank_group.h"

namespace flashgate::matrix {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 512;  // cells per commit

/// One cell as a subject planned it and the checks judged it.
struct JudgedCell
{
  std::size_t index = 0;  ///< into RunSelection::cells
  sim::CellPlan plan;
  Judgement judgement;
};

std::vector<JudgedCell> judge_cells(const sim::Subject& subject, const std::vector<Cell>& cells, std::size_t begin,
                                    std::size_t end)
{
  std::vector<sim::Request> requests;
  for (std::size_t i = begin; i < end; ++i)
    requests.push_back(to_request(cells[i]));
  std::vector<sim::CellPlan> plans(requests.size());
  subject.plan_batch(requests, true, plans);

  std::vector<JudgedCell> judged(requests.size());
  for (std::size_t i = 0; i < judged.size(); ++i) {
    judged[i].index = begin + i;
    judged[i].plan = std::move(plans[i]);
    judge(requests[i], judged[i].plan, judged[i].judgement);
  }
  return judged;
}

std::string today() { return utc_now().substr(0, 10); }

std::vector<Expectation> expectations_of(const RunOptions& options, const Suite& suite)
{
  if (!options.with_expectations || suite.expectations == "none") return {};
  return load_expectations(options.suites_folder, suite.expectations);
}

/// One run from its selection to its end.
class SuiteRun
{
 public:
  SuiteRun(const RunOptions& options, RunSelection selection, const ProgressListener& listener,
           const std::atomic<bool>& stop, const BackendFactory& backends)
      : options_(options),
        selection_(std::move(selection)),
        listener_(listener),
        stop_(stop),
        backends_(backends),
        started_(Clock::now()),
        book_(expectations_of(options, selection_.suite), today()),
        store_(Store::open_or_create(options.database))
  {
  }

  RunResult run()
  {
    start();
    if (!options_.shard.empty())
      store_.insert_part(result_.run.id, {options_.shard, selection_.whole_digest, result_.progress.total});
    if (result_.run.finished.empty()) {
      execute();
      for (const SubjectPtr& subject : selection_.subjects)
        if (!should_stop()) run_subject(*subject);
      finish();
    } else {
      result_.exit_code = static_cast<ExitCode>(result_.run.exit_code);
    }
    return std::move(result_);
  }

 private:
  void start()
  {
    result_.progress.total = static_cast<std::int64_t>(selection_.cells.size() * selection_.subjects.size());
    if (options_.resume && resume_last()) {
      if (result_.run.finished.empty()) select_executions();
      return;
    }
    select_executions();
    store_.begin();
    result_.run = make_run_record(options_, selection_);
    store_.insert_run(result_.run);
    store_.insert_excluded(result_.run.id, left_out(selection_.enumeration));
    cell_ids_ = store_.intern_cells(selection_.cells);
    for (const SubjectPtr& subject : selection_.subjects)
      store_.describe_subject(result_.run.id, store_.intern_subject(subject->name(), subject->description()),
                              subject->description());
    store_.commit();
  }

  bool resume_last()
  {
    const auto last = store_.last_run(selection_.suite.name);
    if (!last) return false;
    if (last->suite_digest != digest(selection_))
      throw Error(fmt::format("{}: run {} selected other cells or subjects, it can't be resumed with this selection",
                              options_.database, last->name));
    check_same_code(*last);
    if (last->seed != options_.seed)
      throw Error(fmt::format("{}: run {} has seed {}, it can't be resumed with seed {}", options_.database, last->name,
                              last->seed, options_.seed));
    result_.run = *last;
    result_.resumed = true;
    store_.begin();
    cell_ids_ = store_.intern_cells(selection_.cells);
    store_.commit();
    return true;
  }

  /// A ref that moved since is another subject, whose cells must not be taken for those of the run.
  void check_same_code(const RunRecord& run)
  {
    for (const SubjectRecord& before : store_.subjects(run.id))
      for (const SubjectPtr& subject : selection_.subjects)
        if (subject->name() == before.name && subject->description() != before.description)
          throw Error(fmt::format("{}: run {} asked {} as '{}', it is '{}' now and can't be resumed", options_.database,
                                  run.name, printable(before.name), printable(before.description),
                                  printable(subject->description())));
  }

  int jobs() const
  {
    return options_.jobs > 0 ? options_.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }

  void select_executions()
  {
    if (selection_.suite.executions) executions_.emplace(selection_, options_, jobs(), backends_);
  }

  /// Runs what the suite executes of the plans, before cells are judged by it.
  void execute()
  {
    if (!executions_) return;
    Progress progress;
    progress.subject = "executions";
    progress.total = executions_->count();
    const auto listener = [&](std::int64_t done, Verdict latest) {
      progress.done = done;
      ++progress.cells_by_verdict[latest];
      listener_(progress);
    };
    const auto stop = [this] { return should_stop(); };
    if (!executions_->run(store_, result_.run.id, listener, stop)) executions_ended_early_ = true;
  }

  /// Cells of `subject` that an interrupted run has stored already.
  std::unordered_set<std::int64_t> stored_cells(std::int64_t subject)
  {
    std::unordered_set<std::int64_t> stored;
    if (result_.resumed)
      for (const StoredCell& cell : store_.planned_cells(result_.run.id, subject))
        stored.insert(cell.id);
    return stored;
  }

  void run_subject(const sim::Subject& subject)
  {
    result_.progress.subject = subject.name();
    subject_ = store_.intern_subject(subject.name(), subject.description());
    stored_ = stored_cells(subject_);
    coverage_ = SourceCoverage();
    const auto threads = static_cast<std::size_t>(jobs());
    std::deque<std::future<std::vector<JudgedCell>>> in_flight;
    std::size_t next = 0;
    const std::size_t count = selection_.cells.size();
    while (!should_stop() && (next < count || !in_flight.empty())) {
      for (; next < count && in_flight.size() < threads; next = std::min(next + kBatch, count))
        in_flight.push_back(std::async(std::launch::async, judge_cells, std::cref(subject), std::cref(selection_.cells),
                                       next, std::min(next + kBatch, count)));
      write_batch(subject.name(), in_flight.front().get());
      in_flight.pop_front();
    }
    if (next == count && in_flight.empty()) write_coverage(subject);
  }

  /// Which lines of its source a real subject ran, once all its cells are in.
  void write_coverage(const sim::Subject& subject)
  {
    if (result_.resumed && !store_.coverage(result_.run.id, subject_).empty()) return;
    store_.begin();
    for (CoverageRow row : coverage_.rows(subject.executable_lines())) {
      row.subject = subject_;
      store_.insert_coverage(result_.run.id, row);
    }
    store_.commit();
  }

  void write_batch(const std::string& subject, const std::vector<JudgedCell>& batch)
  {
    store_.begin();
    for (const JudgedCell& cell : batch)
      write_cell(subject, cell);
    store_.commit();
    listener_(result_.progress);
  }

  void write_cell(const std::string& subject, const JudgedCell& judged)
  {
    const Cell& cell = selection_.cells[judged.index];
    const std::int64_t id = cell_ids_[judged.index];
    ++result_.progress.done;
    coverage_.add(judged.plan, id);
    if (!book_.skip_reason(subject, cell).empty()) {
      ++result_.progress.cells_by_verdict[Verdict::skip];
      return;
    }
    const std::vector<JudgedVerdict> rows = book_.apply(subject, cell, judged.judgement);
    const CellExecutions executed = executions_ ? executions_->judge(cell, judged.plan.rank(0)) : CellExecutions();
    const Verdict worst = worse(judged.judgement.worst(), executed.worst);
    ++result_.progress.cells_by_verdict[worst];
    const std::vector<ExecutionFinding> findings = book_.apply_executions(subject, cell, executed);
    const auto fails = [](const auto& row) { return fails_the_run(row.verdict, row.outcome); };
    result_.progress.unexpected += std::ranges::any_of(rows, fails) || std::ranges::any_of(findings, fails);
    if (stored_.contains(id)) return;
    store_.insert_plan(result_.run.id, subject_, id, judged.plan, judged.judgement.passed, worst);
    for (const JudgedVerdict& row : rows)
      write_verdict(id, row, judged.plan);
    write_executions(id, executed, findings);
  }

  /// What was skipped of a cell is one row with all reasons; a cell is not worse for it.
  void write_executions(std::int64_t cell, const CellExecutions& executed,
                        const std::vector<ExecutionFinding>& findings)
  {
    for (const std::int64_t execution : executed.ids)
      store_.insert_cell_execution(result_.run.id, subject_, cell, execution);
    for (const ExecutionFinding& finding : findings)
      write_finding(cell, finding);
    if (executed.skips.empty()) return;
    ExecutionFinding skipped = executed.skips.front();
    for (std::size_t i = 1; i < executed.skips.size(); ++i)
      skipped.detail += "; " + executed.skips[i].detail;
    write_finding(cell, skipped);
  }

  void write_finding(std::int64_t cell, const ExecutionFinding& finding)
  {
    store_.insert_verdict(result_.run.id, {subject_, cell, std::string(finding.check_id), finding.verdict,
                                           finding.outcome, finding.detail});
  }

  void write_verdict(std::int64_t cell, const JudgedVerdict& row, const sim::CellPlan& plan)
  {
    const std::string check_id(checks()[row.check].id);
    store_.insert_verdict(result_.run.id, {subject_, cell, check_id, row.verdict, row.outcome, row.detail});
    if (row.verdict != Verdict::hang) return;
    if (const auto hang = sim::find_hang(plan))
      store_.insert_incident(result_.run.id, {subject_, cell, check_id, "hang", sim::describe_hang(plan, *hang)});
  }

  bool should_stop() const
  {
    if (stop_ || executions_ended_early_) return true;
    if (options_.max_failures > 0 && result_.progress.unexpected >= options_.max_failures) return true;
    const std::chrono::duration<double> elapsed = Clock::now() - started_;
    return options_.deadline_seconds > 0 && elapsed.count() >= options_.deadline_seconds;
  }

  ExitCode verdict_of_run() const
  {
    if (result_.progress.total == 0) return ExitCode::nothing_ran;  // an empty shard
    const bool missing = std::any_of(book_.uses().begin(), book_.uses().end(),
                                     [](const ExpectationBook::Use& use) { return use.status() == "unexpected"; });
    return result_.progress.unexpected > 0 || missing ? ExitCode::failures : ExitCode::as_expected;
  }

  void finish()
  {
    if (result_.progress.done < result_.progress.total) {
      result_.exit_code = ExitCode::incomplete;
      return;
    }
    result_.exit_code = verdict_of_run();
    result_.run.finished = utc_now();
    result_.run.exit_code = static_cast<int>(result_.exit_code);
    store_.begin();
    for (const ExpectationBook::Use& use : book_.uses())
      store_.insert_expectation_use(result_.run.id, {use.line.file, use.line.line, use.line.text, use.line.reason,
                                                     use.status(), use.matched, use.failing});
    store_.finish_run(result_.run.id, result_.run.finished, result_.run.exit_code);
  }

  const RunOptions& options_;
  RunSelection selection_;
  const ProgressListener& listener_;
  const std::atomic<bool>& stop_;
  const BackendFactory& backends_;
  Clock::time_point started_;
  ExpectationBook book_;
  Store store_;
  std::optional<SuiteExecutions> executions_;
  bool executions_ended_early_ = false;
  std::vector<std::int64_t> cell_ids_;
  std::int64_t subject_ = 0;
  std::unordered_set<std::int64_t> stored_;
  SourceCoverage coverage_;  ///< of the subject that is being asked
  RunResult result_;
};

}  // namespace

RunResult run_suite(const RunOptions& options, const ProgressListener& listener, const std::atomic<bool>& stop,
                    const BackendFactory& backends)
{
  RunSelection selection = select(options);
  if (selection.cells_of_all_shards().empty()) {
    RunResult nothing;
    nothing.exit_code = ExitCode::nothing_ran;
    return nothing;
  }
  return SuiteRun(options, std::move(selection), listener, stop, backends).run();
}

}  // namespace flashgate::matrix
