#include <fmt/format.h>
#include <xxhash.h>

#include "matrix/store_internal.h"
#include "reference/error.h"
#include "sim/dispatch/kernel_ops.h"

namespace flashgate::matrix {
namespace {

std::string insert_sql(std::string_view table, std::initializer_list<std::string_view> columns,
                       std::string_view conflict)
{
  std::string names;
  std::string marks;
  for (const std::string_view column : columns) {
    const std::string_view comma = names.empty() ? "" : ", ";
    names += fmt::format("{}{}", comma, column);
    marks += fmt::format("{}?", comma);
  }
  return fmt::format("INSERT INTO {} ({}) VALUES ({}) {}", table, names, marks, conflict);
}

/// Table cell has the axes' columns, which no Insert can list in the source.
std::string insert_cell_sql()
{
  std::string names = "name";
  std::string marks = "?";
  for (const AxisColumn& column : axis_columns()) {
    names += fmt::format(", {}", column.name);
    marks += ", ?";
  }
  return fmt::format("INSERT INTO cell ({}) VALUES ({})", names, marks);
}

/// A hash of the symbols, which is good within this process only.
std::uint64_t symbol_hash(const std::vector<sim::TraceStep>& steps)
{
  std::uint64_t hash = 0;
  for (const sim::TraceStep& step : steps) {
    const std::array<std::uint32_t, 3> numbers{static_cast<std::uint32_t>(step.phase), step.decision.id(),
                                               step.outcome.id()};
    hash = XXH3_64bits_withSeed(numbers.data(), sizeof(numbers), hash);
  }
  return hash;
}

}  // namespace

std::int64_t trace_id(const std::vector<sim::TraceStep>& steps)
{
  std::string text;
  for (const sim::TraceStep& step : steps)
    text += fmt::format("{}\x1f{}\x1f{}\n", phase_name(step.phase).text(), step.decision.text(), step.outcome.text());
  return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()));
}

Insert::Insert(SQLite::Database& database, std::string_view table, std::initializer_list<std::string_view> columns,
               std::string_view conflict)
    : statement_(database, insert_sql(table, columns, conflict))
{
}

void Insert::bind(int column, std::optional<std::int64_t> number)
{
  if (number)
    statement_.bind(column + 1, *number);
  else
    statement_.bind(column + 1);
}

void Insert::bind(int column, std::string_view text)
{
  if (text.empty()) return statement_.bind(column + 1);
  std::string& own = texts_[static_cast<std::size_t>(column)];
  own = text;
  statement_.bindNoCopy(column + 1, own);
}

Store::Statements::Statements(SQLite::Database& database)
    : find_cell(database, "SELECT id FROM cell WHERE name = ?"),
      insert_cell(database, insert_cell_sql()),
      insert_plan(database, "plan",
                  {"run",
                   "subject",
                   "cell",
                   "rank",
                   "forward_version",
                   "forward_kernel",
                   "forward_arity",
                   "second_version",
                   "handed_version",
                   "backward_version",
                   "backward_kernel",
                   "backward_arity",
                   "lse_version",
                   "lse_layout",
                   "error_phase",
                   "error_kind",
                   "error_message",
                   "trace",
                   "passed_checks",
                   "verdict"}),
      insert_trace_step(database, "trace_step", {"trace", "step", "phase", "decision", "outcome"}, kKeepOld),
      insert_verdict(database, "verdict", {"run", "subject", "cell", "check_id", "verdict", "outcome", "detail"}),
      insert_incident(database, "incident", {"run", "subject", "cell", "execution", "check_id", "kind", "detail"}),
      insert_expectation_use(database, "expectation_use",
                             {"run", "file", "line", "text", "reason", "status", "matched", "failing"}),
      insert_excluded(database, "excluded", {"run", "reason", "cells"})
{
}

std::optional<std::int64_t> Store::Statements::store_trace(const std::vector<sim::TraceStep>& steps)
{
  if (steps.empty()) return std::nullopt;
  const std::uint64_t key = symbol_hash(steps);
  if (const auto known = known_traces.find(key); known != known_traces.end()) return known->second;
  const std::int64_t id = trace_id(steps);
  std::int64_t position = 0;
  for (const sim::TraceStep& step : steps)
    insert_trace_step(id, position++, phase_name(step.phase).text(), step.decision.text(), step.outcome.text());
  known_traces.emplace(key, id);
  return id;
}

std::int64_t Store::Statements::intern_cell(SQLite::Database& database, const Cell& cell)
{
  const std::string name = cell_name(cell);
  find_cell.reset();
  find_cell.bindNoCopy(1, name);
  if (find_cell.executeStep()) {
    const std::int64_t id = find_cell.getColumn(0).getInt64();
    find_cell.reset();  // else it would go on reading what is now, and writing after somebody else wrote would fail
    return id;
  }

  insert_cell.reset();
  insert_cell.bind(1, name);
  int index = 2;
  for (const AxisColumn& column : axis_columns())
    insert_cell.bind(index++, std::string(column_text(column, cell)));
  insert_cell.exec();
  return database.getLastInsertRowid();
}

void Store::Statements::store_rank(const PlanKey& key, int rank, const sim::RankPlan& plan, std::uint32_t passed_checks,
                                   Verdict verdict)
{
  const bool has_lse = sim::is_valid_version(plan.lse_version);
  insert_plan(key.run, key.subject, key.cell, rank, unless_zero(plan.forward.version), plan.forward.kernel.text(),
              unless_zero(plan.forward.arity), unless_zero(plan.second_forward.version),
              unless_zero(plan.handed_version), unless_zero(plan.backward.version), plan.backward.kernel.text(),
              unless_zero(plan.backward.arity), unless_zero(plan.lse_version),
              has_lse ? sim::lse_layout(plan.lse_version) : std::string_view(), phase_name(plan.error.phase).text(),
              plan.error.kind.text(), plan.error.message.text(), store_trace(plan.trace), passed_checks,
              verdict_name(verdict));
}

void Store::insert_run(RunRecord& run)
{
  writing([&](Statements&) {
    // The name is made by the statement that inserts it, so that two processes can't make the same one.
    SQLite::Statement insert(*database_, R"(
        INSERT INTO run (name, suite, suite_digest, options, seed, with_expectations, flashgate_commit, dirty,
                         compiler, build_type, machine, started, finished, exit_code, selected)
        SELECT ?1 || '-' || (1 + count(*)), ?1, nullif(?2, ''), nullif(?3, ''), ?4, ?5, nullif(?6, ''), ?7,
               nullif(?8, ''), nullif(?9, ''), nullif(?10, ''), nullif(?11, ''), nullif(?12, ''), nullif(?13, -1), ?14
        FROM run WHERE suite = ?1
        RETURNING id, name)");
    const Provenance& from = run.provenance;
    SQLite::bind(insert, run.suite, run.suite_digest, run.options, run.seed, run.with_expectations, from.commit,
                 from.dirty, from.compiler, from.build_type, from.machine, run.started, run.finished, run.exit_code,
                 run.selected);
    if (!insert.executeStep()) throw Error(fmt::format("{}: the run got no id", path_));
    run.id = insert.getColumn(0).getInt64();
    run.name = insert.getColumn(1).getString();
    insert.executeStep();  // completes the statement
  });
}

void Store::finish_run(std::int64_t run, const std::string& finished, int exit_code)
{
  writing([&](Statements& statements) {
    SQLite::Statement update(*database_, "UPDATE run SET finished = nullif(?2, ''), exit_code = ?3 WHERE id = ?1");
    SQLite::bind(update, run, finished, exit_code);
    if (update.exec() != 1) throw Error(fmt::format("{}: has no run {} to finish", path_, run));
    if (statements.in_transaction) database_->exec("COMMIT");
    statements.in_transaction = false;

    // A reader that keeps the log busy is no failure: the rows are durable, and the next to close moves them.
    constexpr int kReaderTimeoutMs = 1'000;
    database_->setBusyTimeout(kReaderTimeoutMs);
    database_->tryExec("PRAGMA wal_checkpoint(TRUNCATE)");
    database_->setBusyTimeout(kBusyTimeoutMs);
  });
}

std::vector<std::int64_t> Store::intern_cells(const std::vector<Cell>& cells)
{
  return writing([&](Statements& statements) {
    std::optional<SQLite::Transaction> own;  // one for all cells is a hundred times faster than one each
    if (!statements.in_transaction) own.emplace(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    std::vector<std::int64_t> ids;
    ids.reserve(cells.size());
    for (const Cell& cell : cells)
      ids.push_back(statements.intern_cell(*database_, cell));
    if (own) own->commit();
    return ids;
  });
}

std::int64_t Store::intern_subject(const std::string& name, const std::string& description)
{
  return writing([&](Statements&) {
    SQLite::Statement insert(*database_,
                             "INSERT INTO subject (name, description) VALUES (?, nullif(?, '')) "
                             "ON CONFLICT (name) DO UPDATE SET description = excluded.description RETURNING id");
    SQLite::bind(insert, name, description);
    insert.executeStep();
    const std::int64_t id = insert.getColumn(0).getInt64();
    insert.executeStep();
    return id;
  });
}

void Store::describe_subject(std::int64_t run, std::int64_t subject, const std::string& description)
{
  writing([&](Statements&) {
    SQLite::Statement insert(*database_, "INSERT OR IGNORE INTO run_subject VALUES (?, ?, nullif(?, ''))");
    SQLite::bind(insert, run, subject, description);
    insert.exec();
  });
}

void Store::insert_part(std::int64_t run, const RunPart& part)
{
  writing([&](Statements&) {
    Insert insert(*database_, "run_part", {"run", "shard", "whole_digest", "selected"}, kKeepOld);
    insert(run, part.shard, part.whole_digest, part.selected);
  });
}

void Store::insert_excluded(std::int64_t run, const std::map<std::string, std::int64_t>& count_by_reason)
{
  writing([&](Statements& statements) {
    for (const auto& [reason, count] : count_by_reason)
      statements.insert_excluded(run, reason, count);
  });
}

void Store::insert_plan(std::int64_t run, std::int64_t subject, std::int64_t cell, const sim::CellPlan& plan,
                        std::uint32_t passed_checks, Verdict verdict)
{
  writing([&](Statements& statements) {
    for (int rank = 0; rank < plan.rank_count(); ++rank)
      statements.store_rank({run, subject, cell}, rank, plan.rank(rank), rank == 0 ? passed_checks : 0, verdict);
  });
}

void Store::insert_verdict(std::int64_t run, const VerdictRow& row)
{
  writing([&](Statements& statements) {
    statements.insert_verdict(run, row.subject, row.cell, row.check_id, verdict_name(row.verdict),
                              outcome_name(row.outcome), row.detail);
  });
}

void Store::insert_incident(std::int64_t run, const IncidentRow& row)
{
  writing([&](Statements& statements) {
    statements.insert_incident(run, unless_zero(row.subject), unless_zero(row.cell), unless_zero(row.execution),
                               row.check_id, row.kind, row.detail);
  });
}

void Store::insert_expectation_use(std::int64_t run, const ExpectationUse& use)
{
  writing([&](Statements& statements) {
    statements.insert_expectation_use(run, use.file, use.line, use.text, use.reason, use.status, use.matched,
                                      use.failing);
  });
}

}  // namespace flashgate::matrix
