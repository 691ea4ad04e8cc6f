#include <fmt/format.h>

#include "matrix/store_internal.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

constexpr const char* kSelectRun =
    "SELECT id, name, suite, suite_digest, options, seed, with_expectations, flashgate_commit, dirty, compiler, "
    "build_type, machine, started, finished, coalesce(exit_code, -1), selected FROM run ";

/// Reads the columns of a row from left to right.
class RowReader
{
 public:
  explicit RowReader(SQLite::Statement& row) : row_(row) {}

  std::int64_t number() { return row_.getColumn(next_++).getInt64(); }
  int small() { return row_.getColumn(next_++).getInt(); }
  std::string text() { return row_.getColumn(next_++).getString(); }  // "" for NULL

 private:
  SQLite::Statement& row_;
  int next_ = 0;
};

RunRecord read_run(SQLite::Statement& statement)
{
  RowReader row(statement);
  RunRecord run;
  run.id = row.number();
  run.name = row.text();
  run.suite = row.text();
  run.suite_digest = row.text();
  run.options = row.text();
  run.seed = row.number();
  run.with_expectations = row.small() != 0;
  run.provenance.commit = row.text();
  run.provenance.dirty = row.small() != 0;
  run.provenance.compiler = row.text();
  run.provenance.build_type = row.text();
  run.provenance.machine = row.text();
  run.started = row.text();
  run.finished = row.text();
  run.exit_code = row.small();
  run.selected = row.number();
  return run;
}

std::optional<RunRecord> first_run(SQLite::Statement& statement)
{
  if (!statement.executeStep()) return std::nullopt;
  return read_run(statement);
}

VerdictRow read_verdict(SQLite::Statement& statement)
{
  RowReader row(statement);
  VerdictRow verdict;
  verdict.subject = row.number();
  verdict.cell = row.number();
  verdict.check_id = row.text();
  verdict.verdict = stored_verdict(row.text());
  verdict.outcome = stored_outcome(row.text());
  verdict.detail = row.text();
  return verdict;
}

ExpectationUse read_expectation_use(SQLite::Statement& statement)
{
  RowReader row(statement);
  ExpectationUse use;
  use.file = row.text();
  use.line = row.small();
  use.text = row.text();
  use.reason = row.text();
  use.status = row.text();
  use.matched = row.number();
  use.failing = row.number();
  return use;
}

}  // namespace

Verdict stored_verdict(const std::string& name)
{
  const std::optional<Verdict> verdict = find_verdict(name);
  if (!verdict) throw Error(fmt::format("verdict \"{}\" in the database, which this flashgate does not know", name));
  return *verdict;
}

Outcome stored_outcome(const std::string& name)
{
  for (const Outcome outcome : {Outcome::as_is, Outcome::expected_fail, Outcome::unexpected_pass,
                                Outcome::unexpected_skip, Outcome::known_flake, Outcome::flake})
    if (outcome_name(outcome) == name) return outcome;
  throw Error(fmt::format("outcome \"{}\" in the database, which this flashgate does not know", name));
}

std::vector<RunRecord> Store::runs()
{
  return guarded(path_, [&] {
    std::vector<RunRecord> runs;
    SQLite::Statement select(*database_, std::string(kSelectRun) + "ORDER BY id");
    while (select.executeStep())
      runs.push_back(read_run(select));
    return runs;
  });
}

std::optional<RunRecord> Store::find_run(const std::string& name)
{
  return guarded(path_, [&] {
    // A name wins over an id that is spelled like it.
    SQLite::Statement select(*database_, std::string(kSelectRun) +
                                             "WHERE ?1 = '' OR name = ?1 OR CAST(id AS TEXT) = ?1 "
                                             "ORDER BY name = ?1 DESC, id DESC LIMIT 1");
    select.bind(1, name);
    return first_run(select);
  });
}

std::optional<RunRecord> Store::last_run(const std::string& suite)
{
  return guarded(path_, [&] {
    SQLite::Statement select(*database_, std::string(kSelectRun) + "WHERE suite = ? ORDER BY id DESC LIMIT 1");
    select.bind(1, suite);
    return first_run(select);
  });
}

std::vector<SubjectRecord> Store::subjects(std::int64_t run)
{
  return guarded(path_, [&] {
    std::vector<SubjectRecord> subjects;
    SQLite::Statement select(*database_,
                             "SELECT id, name, coalesce(asked.description, s.description) FROM subject AS s "
                             "LEFT JOIN run_subject AS asked ON asked.run = ?1 AND asked.subject = s.id WHERE "
                             "EXISTS (SELECT 1 FROM plan WHERE plan.run = ?1 AND plan.subject = s.id) OR "
                             "EXISTS (SELECT 1 FROM verdict AS v WHERE v.run = ?1 AND v.subject = s.id) ORDER BY id");
    select.bind(1, run);
    while (select.executeStep()) {
      RowReader row(select);
      subjects.push_back({.id = row.number(), .name = row.text(), .description = row.text()});
    }
    return subjects;
  });
}

std::vector<StoredCell> Store::planned_cells(std::int64_t run, std::int64_t subject)
{
  return guarded(path_, [&] {
    std::vector<StoredCell> cells;
    SQLite::Statement select(*database_,
                             "SELECT cell.id, cell.name, max(passed_checks), "
                             "max(coalesce(error_kind IN ('not_supported', 'NotImplementedError'), 0)) "
                             "FROM plan JOIN cell ON cell.id = plan.cell "
                             "WHERE plan.run = ? AND plan.subject = ? GROUP BY cell.id ORDER BY cell.id");
    SQLite::bind(select, run, subject);
    while (select.executeStep()) {
      RowReader row(select);
      const std::int64_t id = row.number();
      const Cell cell = parse_cell(row.text());
      const auto passed_checks = static_cast<std::uint32_t>(row.number());
      cells.push_back({id, cell, passed_checks, row.number() != 0});
    }
    return cells;
  });
}

std::vector<VerdictRow> Store::verdict_rows(std::int64_t run)
{
  return guarded(path_, [&] {
    std::vector<VerdictRow> rows;
    SQLite::Statement select(*database_,
                             "SELECT subject, cell, check_id, verdict, outcome, detail FROM verdict WHERE run = ? "
                             "ORDER BY subject, cell, check_id");
    select.bind(1, run);
    while (select.executeStep())
      rows.push_back(read_verdict(select));
    return rows;
  });
}

std::vector<IncidentRow> Store::incidents(std::int64_t run)
{
  return guarded(path_, [&] {
    std::vector<IncidentRow> incidents;
    SQLite::Statement select(*database_,
                             "SELECT coalesce(subject, 0), coalesce(cell, 0), check_id, kind, coalesce(detail, ''), "
                             "coalesce(execution, 0) FROM incident WHERE run = ? ORDER BY id");
    select.bind(1, run);
    while (select.executeStep()) {
      RowReader row(select);
      incidents.push_back({row.number(), row.number(), row.text(), row.text(), row.text(), row.number()});
    }
    return incidents;
  });
}

std::vector<ExpectationUse> Store::expectation_uses(std::int64_t run)
{
  return guarded(path_, [&] {
    std::vector<ExpectationUse> uses;
    SQLite::Statement select(*database_,
                             "SELECT file, line, text, reason, status, matched, failing FROM expectation_use "
                             "WHERE run = ? ORDER BY file, line");
    select.bind(1, run);
    while (select.executeStep())
      uses.push_back(read_expectation_use(select));
    return uses;
  });
}

std::int64_t Store::judged_cells(std::int64_t run)
{
  return guarded(path_, [&] {
    SQLite::Statement select(*database_,
                             "SELECT count(*) FROM (SELECT subject, cell FROM plan WHERE run = ?1 AND rank = 0 "
                             "UNION SELECT subject, cell FROM verdict WHERE run = ?1)");
    select.bind(1, run);
    select.executeStep();
    return select.getColumn(0).getInt64();
  });
}

std::vector<RunPart> Store::parts(std::int64_t run)
{
  return guarded(path_, [&] {
    std::vector<RunPart> parts;
    SQLite::Statement select(*database_,
                             "SELECT shard, whole_digest, selected, coalesce(options, ''), coalesce(machine, ''), "
                             "coalesce(started, ''), coalesce(finished, ''), coalesce(exit_code, -1) FROM run_part "
                             "WHERE run = ? ORDER BY CAST(shard AS INTEGER)");
    select.bind(1, run);
    while (select.executeStep()) {
      RowReader row(select);
      RunPart part;
      part.shard = row.text();
      part.whole_digest = row.text();
      part.selected = row.number();
      part.options = row.text();
      part.machine = row.text();
      part.started = row.text();
      part.finished = row.text();
      part.exit_code = static_cast<int>(row.number());
      parts.push_back(std::move(part));
    }
    return parts;
  });
}

std::map<std::string, std::int64_t> Store::excluded(std::int64_t run)
{
  return guarded(path_, [&] {
    std::map<std::string, std::int64_t> counts;
    SQLite::Statement select(*database_, "SELECT reason, cells FROM excluded WHERE run = ?");
    select.bind(1, run);
    while (select.executeStep())
      counts[select.getColumn(0).getString()] = select.getColumn(1).getInt64();
    return counts;
  });
}

}  // namespace flashgate::matrix
