#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "matrix/cell.h"
#include "matrix/checks.h"
#include "matrix/verdict.h"
#include "sim/dispatch/plan.h"

namespace SQLite {
class Database;
}

namespace flashgate::matrix {

/// What the name of a watched command's test begins with in table cell.
inline constexpr std::string_view kTestPrefix = "test:";

/// The database's PRAGMA user_version. A file with another one is refused.
inline constexpr int kSchemaVersion = 6;

/// Where a run's results come from.
struct Provenance
{
  std::string commit;  ///< of flashgate itself; "unknown" outside a checkout
  bool dirty = false;  ///< the tree had uncommitted changes when it was built
  std::string compiler;
  std::string build_type;
  std::string machine;  ///< operating system, processor, cores; never a host name
};

/// One invocation of `run`. `name` is "SUITE-N", N counting the suite's runs in this database from 1.
struct RunRecord
{
  std::int64_t id = 0;
  std::string name;
  std::string suite;
  std::string suite_digest;  ///< hash of the selected cells' names and the subjects: a run is resumed only if equal
  std::string options;       ///< the command line
  std::int64_t seed = 0;
  bool with_expectations = true;
  Provenance provenance;
  std::string started;        ///< UTC, ISO 8601
  std::string finished;       ///< empty while the run is incomplete
  int exit_code = -1;         ///< -1 while the run is incomplete
  std::int64_t selected = 0;  ///< cells the suite selected, times subjects
};

struct StoredCell
{
  std::int64_t id = 0;
  Cell cell;
  std::uint32_t passed_checks = 0;  ///< the plan's bit set of passing checks
  bool not_supported = false;       ///< a kernel refused, or an entry said "not implemented", on some rank
};

/// One verdict that is not a plain pass.
struct VerdictRow
{
  std::int64_t subject = 0;
  std::int64_t cell = 0;
  std::string check_id;
  Verdict verdict = Verdict::pass;
  Outcome outcome = Outcome::as_is;
  std::string detail;
};

/// The evidence of a hang, crash, race or divergence.
struct IncidentRow
{
  std::int64_t subject = 0;  ///< 0, like cell: of an execution
  std::int64_t cell = 0;
  std::string check_id;
  std::string kind;            ///< one word: "hang", "crash", ...
  std::string detail;          ///< where, and who waits for what
  std::int64_t execution = 0;  ///< 0: of a plan
};

/// How one expectation line was used in a run.
struct ExpectationUse
{
  std::string file;  ///< name without folder
  int line = 0;
  std::string text;
  std::string reason;
  std::string status;        ///< used, unexpected, not_applicable, expired
  std::int64_t matched = 0;  ///< selected cells that the line covers
  std::int64_t failing = 0;  ///< of these, failing as the line says
};

/// Which part of a suite a run is, or one of the parts that a merged run was put together from.
struct RunPart
{
  std::string shard;         ///< "2/4"
  std::string whole_digest;  ///< of the selection that the parts part
  std::int64_t selected = 0;
  std::string options = {}, machine = {}, started = {}, finished = {};  ///< of a merged run's part; else empty
  int exit_code = -1;                                                   ///< likewise; else -1
};

struct SubjectRecord
{
  std::int64_t id = 0;
  std::string name;
  std::string description;
};

/// One distinct path through a subject's decisions: a trace, how many plans took it, and the worst verdict among them.
struct RouteRow
{
  std::vector<sim::TraceStep> steps;
  std::string end;         ///< "v3 / v3" (forward / backward), or the error with its phase: "bwd ValueError"
  std::int64_t plans = 0;  ///< plans (ranks) that took it
  Verdict worst = Verdict::pass;
  std::string example_cell;  ///< name of the first cell (lowest id) with that worst verdict
};

/// Counts of one verdict of one check of one subject; `outcome` tells the expected failures apart.
struct VerdictCount
{
  std::int64_t subject = 0;
  std::string check_id;
  Verdict verdict = Verdict::pass;
  Outcome outcome = Outcome::as_is;
  std::int64_t cells = 0;
};

/// A rank's plan as stored. Launches have version, kernel and arity; the trace is a key of Store::traces().
struct PlanRow
{
  std::int64_t cell = 0;
  int rank = 0;
  sim::RankPlan plan;
  std::int64_t trace = 0;  ///< 0: none
};

/// The decisions of every rank.
using RankTraces = std::vector<std::vector<sim::TraceStep>>;

/// An execution that answers for a cell, and all its figures but the time in one text.
struct ExecutedCell
{
  std::int64_t cell = 0;
  std::string execution;  ///< its name
  std::string figures;
};

/// An executable line of a dispatch function of a real subject, and how often it ran.
struct CoverageRow
{
  std::int64_t subject = 0;
  std::string file;  ///< relative to the checkout's root
  int line = 0;
  std::int64_t hits = 0;
  std::int64_t example_cell = 0;  ///< id of a cell that ran it; 0: none
  std::string example_name = {};  ///< that cell's name; read, not written
};

// Executions ----------------------------------------------------------------------------------------------------------

struct ExecutionResult;
struct StoredMatrix;
struct ExecutionFinding;

/// One execution, as stored.
struct ExecutionRow
{
  std::int64_t id = 0;
  std::string digest;
  std::string name;
  std::string backend;
  std::string kernel;
  std::string evidence;
  Verdict verdict = Verdict::pass;
  std::string check_id;  ///< empty for a pass
  std::string detail;
  double seconds = 0;
  std::int64_t cells = 0;  ///< cells, times subjects, that it answers for
};

/// A run in numbers, for trends.
struct RunFigures
{
  RunRecord run;
  std::string database;                          ///< its file's name; for people, set by who opened it
  std::int64_t cells = 0, passing = 0;           ///< cells times subjects, and those with verdict pass
  std::int64_t flakes = 0;                       ///< verdicts with outcome flake or known_flake
  std::map<std::string, std::int64_t> failures;  ///< cells per check that fails unexpectedly
  double worst_ratio = -1;                       ///< worst error / bound; negative: nothing was judged
};

/// An execution that a run has stored already, as far as cells need it.
struct StoredExecution
{
  std::int64_t id = 0;
  std::vector<ExecutionFinding> findings;
};

/// Executions of one kernel with one verdict.
struct ExecutionCount
{
  std::string kernel;
  std::string evidence;
  Verdict verdict = Verdict::pass;
  std::string reason;  ///< of skips
  std::int64_t executions = 0;
};

/// Tensors of a kernel that promise no equal bits, in executions that ran several times.
struct UnpromisedBitsRow
{
  std::string kernel;
  std::string tensor;
  std::int64_t executions = 0;
  std::int64_t varied = 0;  ///< of these, those that gave different results
};

/// The execution that came closest to the bound, or farthest beyond it, of a kernel, dtype and tensor.
struct WorstRatioRow
{
  std::string kernel;
  std::string dtype;
  std::string tensor;
  double bound_ratio = 0;
  double field_rule_ratio = 0;  ///< the worst of all, not that execution's
  std::string execution;        ///< its name
};

// ---------------------------------------------------------------------------------------------------------------------

/// The results database, and the only code that sees SQLite. Every failure (file, disk, lock, schema) is an Error of
/// one line that names the file. One Store per thread; several processes may append to one file.
class Store
{
 public:
  /// Opens `path` for appending; creates file and schema if it does not exist. Error if it is a database of another
  /// schema, no database at all, or not writable; the file is then left as it was.
  static Store open_or_create(const std::string& path);

  /// Opens an existing database without the right to change it. Error as above, or if it does not exist.
  static Store open_read_only(const std::string& path);

  /// The file, as it was given.
  const std::string& path() const { return path_; }

  Store(Store&&) noexcept;
  ~Store();

  // Writing. Nothing is durable before commit(). An Error on the way undoes everything since begin() and ends the
  // transaction. What is written outside begin() and commit() is a transaction of its own.
  void begin();
  void commit();

  /// Starts a run: fills in id and name.
  void insert_run(RunRecord& run);

  /// Ends a run: commits what is open, then moves everything into the file itself, so that a plain copy is complete.
  void finish_run(std::int64_t run, const std::string& finished, int exit_code);

  /// Ids of the cells, in order; cells that the database knows already keep theirs.
  std::vector<std::int64_t> intern_cells(const std::vector<Cell>& cells);
  /// Ids of the tests of a watched command, in order: a row "test:NAME" of table cell each, whose axis columns are
  /// empty.
  std::vector<std::int64_t> intern_tests(const std::vector<std::string>& names);
  std::int64_t intern_subject(const std::string& name, const std::string& description);

  /// What the subject is in this run. The first description of a run stays.
  void describe_subject(std::int64_t run, std::int64_t subject, const std::string& description);

  /// Says that a run is one part (shard, whole_digest and selected). Saying so twice is once.
  void insert_part(std::int64_t run, const RunPart& part);

  /// Cells excluded by a constraint, counted by its reason.
  void insert_excluded(std::int64_t run, const std::map<std::string, std::int64_t>& count_by_reason);

  /// Writes one cell's plan, a row per rank; a trace is stored once per distinct trace, under the hash of its steps.
  void insert_plan(std::int64_t run, std::int64_t subject, std::int64_t cell, const sim::CellPlan& plan,
                   std::uint32_t passed_checks, Verdict verdict);
  void insert_verdict(std::int64_t run, const VerdictRow& row);
  void insert_incident(std::int64_t run, const IncidentRow& row);
  void insert_expectation_use(std::int64_t run, const ExpectationUse& use);

  /// Writes an execution with its metrics, findings and incidents; returns its id. An execution of that digest in the
  /// same run stays as it is, and its id is returned.
  std::int64_t insert_execution(std::int64_t run, const ExecutionResult& result);
  /// Says that an execution answers for a cell. Saying so twice is once.
  void insert_cell_execution(std::int64_t run, std::int64_t subject, std::int64_t cell, std::int64_t execution);

  /// Writes a line of a subject's source, once per run.
  void insert_coverage(std::int64_t run, const CoverageRow& row);

  // Reading.
  /// All runs, oldest first.
  std::vector<RunRecord> runs();
  /// The run with that name or id ("default-2", "2"), or the last one for "" ; empty if there is none.
  std::optional<RunRecord> find_run(const std::string& name);
  /// The last run of a suite; empty if there is none.
  std::optional<RunRecord> last_run(const std::string& suite);
  std::vector<SubjectRecord> subjects(std::int64_t run);
  /// Cells, times subjects, that the run has a plan or a verdict of.
  std::int64_t judged_cells(std::int64_t run);
  /// By shard; empty if the run is a whole one.
  std::vector<RunPart> parts(std::int64_t run);
  /// Cells that `subject` has a plan for, by id.
  std::vector<StoredCell> planned_cells(std::int64_t run, std::int64_t subject);
  std::vector<VerdictRow> verdict_rows(std::int64_t run);
  std::vector<IncidentRow> incidents(std::int64_t run);
  std::vector<ExpectationUse> expectation_uses(std::int64_t run);
  std::map<std::string, std::int64_t> excluded(std::int64_t run);
  std::vector<VerdictCount> verdict_counts(std::int64_t run);
  /// Of cells with that value of axis path only, unless it is empty.
  std::vector<RouteRow> routes(std::int64_t run, std::int64_t subject, const std::string& path = {});
  /// A run's executions in the order in which they were written.
  std::vector<ExecutionRow> executions(std::int64_t run);
  RunFigures figures(const RunRecord& run);
  /// What a run has executed already, by digest.
  std::unordered_map<std::string, StoredExecution> stored_executions(std::int64_t run);
  /// By kernel, evidence, verdict, best first, and reason.
  std::vector<ExecutionCount> execution_counts(std::int64_t run);
  /// By kernel and tensor.
  std::vector<UnpromisedBitsRow> unpromised_bits(std::int64_t run);
  /// By kernel, dtype and tensor. Executions with verdict warn are left out: their ratio is not judged.
  std::vector<WorstRatioRow> worst_ratios(std::int64_t run);
  /// Ids and names of the cells that have a plan or a verdict, by id.
  std::vector<std::pair<std::int64_t, std::string>> answered_cells(std::int64_t run, std::int64_t subject);
  /// By cell, then rank.
  std::vector<PlanRow> plans(std::int64_t run, std::int64_t subject);
  /// Every trace that a plan of the subject has, by its key.
  std::unordered_map<std::int64_t, std::vector<sim::TraceStep>> traces(std::int64_t run, std::int64_t subject);
  /// What the subject of that name decided on the cell of that name; empty if the run has no plan of them.
  RankTraces rank_traces(std::int64_t run, const std::string& subject, const std::string& cell);
  /// By cell, then name of the execution.
  std::vector<ExecutedCell> executed_cells(std::int64_t run, std::int64_t subject);
  /// By file and line.
  std::vector<CoverageRow> coverage(std::int64_t run, std::int64_t subject);
  /// Everything the run says of its cells, column by column; stored_matrix.h says how.
  StoredMatrix matrix(std::int64_t run);
  /// Calls `use` with the subject's name, the cell's name and the verdict of every plan, in no particular order.
  void for_each_cell_verdict(std::int64_t run,
                             const std::function<void(std::string_view, std::string_view, Verdict)>& use);
  /// Streams view `failures` as CSV (RFC 4180, without line ends), first the header, to `write_line`.
  void failures_csv(std::int64_t run, const std::function<void(const std::string&)>& write_line);

 private:
  struct Statements;
  template <typename Function>
  decltype(auto) writing(Function&& function);
  Statements& writable();
  void roll_back() noexcept;
  explicit Store(std::unique_ptr<SQLite::Database> database, std::string path);

  std::string path_;
  std::unique_ptr<SQLite::Database> database_;
  std::unique_ptr<Statements> statements_;  // prepared inserts; declared after database_, so destroyed before it
};

}  // namespace flashgate::matrix
