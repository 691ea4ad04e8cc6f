#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "matrix/execution.h"
#include "matrix/execution_checks.h"
#include "matrix/store_internal.h"
#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

using Id = NumericsAxisId;

/// SQLite stores NaN as NULL.
constexpr double kNull = std::numeric_limits<double>::quiet_NaN();

Insert prepare_execution(SQLite::Database& database)
{
  return Insert(database, "execution",
                {"run",      "digest",    "name",         "backend",    "kernel",      "kernel_hash",   "evidence",
                 "dtype",    "direction", "head_dim",     "head_dim_v", "mask_family", "causal",        "seqlen_q",
                 "seqlen_k", "num_heads", "num_heads_kv", "mask_heads", "batch",       "deterministic", "cp_size",
                 "seed",     "verdict",   "check_id",     "detail",     "runs",        "seconds"});
}

Insert prepare_metric(SQLite::Database& database)
{
  return Insert(database, "metric",
                {"execution", "tensor", "max_abs", "max_rel", "bound_ratio", "field_rule_ratio", "ulp_histogram",
                 "worst_index", "nonfinite_count", "zero_share", "promises_bits", "results"});
}

Insert prepare_finding(SQLite::Database& database)
{
  return Insert(database, "execution_finding", {"execution", "position", "check_id", "verdict", "outcome", "detail"});
}

/// The statement, prepared when it is first wanted.
Insert& prepared(std::optional<Insert>& insert, SQLite::Database& database, Insert (*prepare)(SQLite::Database&))
{
  if (!insert) insert.emplace(prepare(database));
  return *insert;
}

std::optional<std::int64_t> find_execution(std::optional<SQLite::Statement>& find, SQLite::Database& database,
                                           std::int64_t run, const std::string& digest)
{
  if (!find) find.emplace(database, "SELECT id FROM execution WHERE run = ? AND digest = ?");
  find->bind(1, run);
  find->bind(2, digest);
  const auto id = find->executeStep() ? std::optional(find->getColumn(0).getInt64()) : std::nullopt;
  find->reset();
  return id;
}

void write_execution(std::int64_t run, const ExecutionResult& result, Insert& insert)
{
  const NumericsCase& numerics = result.numerics;
  const reference::Problem problem = to_problem(numerics);
  const ExecutionFinding* finding = result.worst_finding();
  insert(run, result.digest, numerics_name(numerics), result.backend, value_of(numerics, Id::kernel).text,
         result.kernel_hash, result.evidence, value_of(numerics, Id::dtype).text,
         value_of(numerics, Id::direction).text, problem.head_dim, problem.head_dim_v,
         value_of(numerics, Id::family).text, reference::name(problem.causal), problem.seqlen_q, problem.seqlen_k,
         problem.num_heads, problem.num_heads_kv, mask_head_count(numerics), problem.batch,
         number_of(numerics, Id::deterministic), number_of(numerics, Id::cp_size), std::int64_t{numerics.seed},
         verdict_name(result.verdict), finding == nullptr ? std::string_view() : finding->check_id,
         finding == nullptr ? std::string_view() : std::string_view(finding->detail), result.runs, result.seconds);
}

void write_metric(std::int64_t execution, const TensorResult& tensor, Insert& insert)
{
  const reference::TensorMetrics& metrics = tensor.metrics;
  insert(execution, tensor.tensor, metrics.max_abs_err, metrics.max_rel_err, metrics.bound_ratio,
         tensor.field_rule_ratio.value_or(kNull), fmt::format("[{}]", fmt::join(metrics.ulp_histogram, ", ")),
         index_text(metrics.worst), metrics.nonfinite_count, metrics.zero_share, tensor.promises_bits ? 1 : 0,
         tensor.results);
}

ExecutionFinding read_finding(SQLite::Statement& row, const std::string& path)
{
  const std::string check = row.getColumn(1).getString();
  const auto id = find_execution_check(check);
  if (!id) throw Error(fmt::format("{}: check \"{}\", which this flashgate does not know", path, printable(check)));
  return {*id, stored_verdict(row.getColumn(2).getString()), row.getColumn(4).getString(),
          stored_outcome(row.getColumn(3).getString())};
}

}  // namespace

ExecutionRow read_execution(SQLite::Statement& row)
{
  ExecutionRow execution;
  execution.id = row.getColumn(0).getInt64();
  execution.digest = row.getColumn(1).getString();
  execution.name = row.getColumn(2).getString();
  execution.backend = row.getColumn(3).getString();
  execution.kernel = row.getColumn(4).getString();
  execution.evidence = row.getColumn(5).getString();
  execution.verdict = stored_verdict(row.getColumn(6).getString());
  execution.check_id = row.getColumn(7).getString();
  execution.detail = row.getColumn(8).getString();
  execution.seconds = row.getColumn(9).getDouble();
  return execution;
}

std::int64_t Store::insert_execution(std::int64_t run, const ExecutionResult& result)
{
  return writing([&](Statements& statements) {
    if (const auto known = find_execution(statements.find_execution, *database_, run, result.digest)) return *known;
    write_execution(run, result, prepared(statements.insert_execution, *database_, prepare_execution));
    const std::int64_t id = database_->getLastInsertRowid();
    for (const TensorResult& tensor : result.tensors)
      write_metric(id, tensor, prepared(statements.insert_metric, *database_, prepare_metric));
    std::int64_t position = 0;
    for (const ExecutionFinding& finding : result.findings)
      prepared(statements.insert_finding, *database_, prepare_finding)(id, position++, finding.check_id,
                                                                       verdict_name(finding.verdict),
                                                                       outcome_name(finding.outcome), finding.detail);
    for (const ExecutionIncident& incident : result.incidents)
      insert_incident(run, {0, 0, std::string(incident.check_id), incident.kind, incident.detail, id});
    return id;
  });
}

void Store::insert_cell_execution(std::int64_t run, std::int64_t subject, std::int64_t cell, std::int64_t execution)
{
  const auto prepare = [](SQLite::Database& database) {
    return Insert(database, "cell_execution", {"run", "subject", "cell", "execution"}, kKeepOld);
  };
  writing([&](Statements& statements) {
    prepared(statements.insert_cell_execution, *database_, prepare)(run, subject, cell, execution);
  });
}

std::vector<ExecutionRow> Store::executions(std::int64_t run)
{
  return guarded(path_, [&] {
    SQLite::Statement select(
        *database_,
        fmt::format("SELECT {}, (SELECT count(*) FROM cell_execution AS c WHERE c.run = e.run AND c.execution = e.id) "
                    "AS cells FROM execution AS e WHERE run = ? ORDER BY id",
                    kExecutionColumns));
    select.bind(1, run);
    std::vector<ExecutionRow> rows;
    while (select.executeStep()) {
      rows.push_back(read_execution(select));
      rows.back().cells = select.getColumn("cells").getInt64();
    }
    return rows;
  });
}

std::unordered_map<std::string, StoredExecution> Store::stored_executions(std::int64_t run)
{
  return guarded(path_, [&] {
    std::unordered_map<std::string, StoredExecution> stored;
    SQLite::Statement executions(*database_, "SELECT digest, id FROM execution WHERE run = ?");
    SQLite::Statement findings(*database_,
                               "SELECT digest, f.check_id, f.verdict, f.outcome, coalesce(f.detail, '') "
                               "FROM execution_finding AS f JOIN execution AS e ON e.id = f.execution "
                               "WHERE e.run = ? ORDER BY f.execution, f.position");
    executions.bind(1, run);
    findings.bind(1, run);
    while (executions.executeStep())
      stored[executions.getColumn(0).getString()].id = executions.getColumn(1).getInt64();
    while (findings.executeStep())
      stored[findings.getColumn(0).getString()].findings.push_back(read_finding(findings, path_));
    return stored;
  });
}

std::vector<ExecutionCount> Store::execution_counts(std::int64_t run)
{
  return guarded(path_, [&] {
    SQLite::Statement select(*database_,
                             "SELECT kernel, evidence, verdict, iif(verdict = 'skip', detail, '') AS reason, count(*) "
                             "FROM execution JOIN verdict_level USING (verdict) WHERE run = ? "
                             "GROUP BY kernel, evidence, verdict, reason ORDER BY kernel, evidence, level, reason");
    select.bind(1, run);
    std::vector<ExecutionCount> counts;
    while (select.executeStep())
      counts.push_back({select.getColumn(0).getString(), select.getColumn(1).getString(),
                        stored_verdict(select.getColumn(2).getString()), select.getColumn(3).getString(),
                        select.getColumn(4).getInt64()});
    return counts;
  });
}

std::vector<UnpromisedBitsRow> Store::unpromised_bits(std::int64_t run)
{
  return guarded(path_, [&] {
    SQLite::Statement select(
        *database_,
        "SELECT kernel, tensor, count(*), sum(results > 1) FROM metric JOIN execution AS e ON e.id = metric.execution "
        "WHERE run = ? AND runs > 1 AND NOT promises_bits GROUP BY kernel, tensor ORDER BY kernel, tensor");
    select.bind(1, run);
    std::vector<UnpromisedBitsRow> rows;
    while (select.executeStep())
      rows.push_back({select.getColumn(0).getString(), select.getColumn(1).getString(), select.getColumn(2).getInt64(),
                      select.getColumn(3).getInt64()});
    return rows;
  });
}

std::vector<WorstRatioRow> Store::worst_ratios(std::int64_t run)
{
  return guarded(path_, [&] {
    // A bare column beside max() comes from the row that has the maximum; SQLite promises so for a single max().
    SQLite::Statement select(
        *database_,
        "SELECT kernel, dtype, tensor, max(bound_ratio), name, "
        "(SELECT max(f.field_rule_ratio) FROM metric AS f JOIN execution AS x ON x.id = f.execution "
        " WHERE x.run = e.run AND x.kernel = e.kernel AND x.dtype = e.dtype AND f.tensor = m.tensor "
        " AND x.verdict <> 'warn') "
        "FROM metric AS m JOIN execution AS e ON e.id = m.execution WHERE run = ? AND verdict <> 'warn' "
        "GROUP BY kernel, dtype, tensor ORDER BY kernel, dtype, tensor");
    select.bind(1, run);
    std::vector<WorstRatioRow> rows;
    while (select.executeStep())
      rows.push_back({select.getColumn(0).getString(), select.getColumn(1).getString(), select.getColumn(2).getString(),
                      select.getColumn(3).getDouble(), select.getColumn(5).getDouble(),
                      select.getColumn(4).getString()});
    return rows;
  });
}

}  // namespace flashgate::matrix
