#include <string>

#include <doctest/doctest.h>

#include "matrix/execution.h"
#include "matrix/reference_backend.h"
#include "matrix/stored_matrix.h"
#include "tests/matrix/store_fixture.h"

namespace flashgate::matrix {
namespace {

/// A run of three executions, one of them wrong, and two cells that share the first.
void write_run(Store& store)
{
  store.begin();
  RunRecord run = run_of("smoke");
  store.insert_run(run);
  const auto cells = store.intern_cells({parse_cell("rr_flashmask"), parse_cell("rr_flash")});
  const std::int64_t subject = store.intern_subject("model:test", "");
  const std::int64_t forward = store.insert_execution(run.id, execute(parse_numerics_case("v3"), ReferenceBackend()));
  store.insert_execution(run.id, execute(parse_numerics_case("v2/direction=backward,dtype=fp16"), ReferenceBackend()));
  ExecutionResult wrong = execute(parse_numerics_case("v3/seqlen=65,family=causal"), ReferenceBackend());
  wrong.verdict = Verdict::fail;
  wrong.findings.push_back({"numerics", Verdict::fail, "O: wrong"});
  wrong.tensors.front().metrics.bound_ratio = 17;
  store.insert_execution(run.id, wrong);
  for (const std::int64_t cell : cells)
    for (int twice = 0; twice < 2; ++twice)
      store.insert_cell_execution(run.id, subject, cell, forward);
  store.commit();
}

ExecutionResult crashed_execution()
{
  ExecutionResult crashed;
  crashed.numerics = parse_numerics_case("v3/dtype=fp16");
  crashed.digest = "d";
  crashed.backend = "b";
  crashed.evidence = "none";
  crashed.verdict = Verdict::crash;
  crashed.findings = {{"crash", Verdict::crash, "signal 11", Outcome::flake}, {"trust", Verdict::mistrusted, "zeros"}};
  crashed.incidents = {{"crash", "crash", "stack\nof it"}};
  return crashed;
}

}  // namespace

TEST_CASE("an execution is stored with its metrics, in the columns of the schema")
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  Store store = Store::open_or_create(file);
  write_run(store);
  CHECK(
      query(file,
            "SELECT name, backend, kernel, kernel_hash, evidence, dtype, direction, head_dim, head_dim_v, "
            "mask_family, causal, seqlen_q, seqlen_k, num_heads, num_heads_kv, mask_heads, batch, "
            "deterministic, cp_size, seed, verdict, check_id, detail FROM execution ORDER BY id") ==
      std::vector<std::string>{
          "v3|reference-rounded|v3|-|none|bf16|forward|128|128|full|none|128|128|4|2|1|1|0|1|1|pass|-|-",
          "v2/dtype=fp16,direction=backward|reference-rounded|v2|-|none|fp16|backward|128|128|full|none|128|128|4|2|1|"
          "1|0|1|1|pass|-|-",
          "v3/family=causal,seqlen=65|reference-rounded|v3|-|none|bf16|forward|128|128|causal|bottom_right|65|65|4|2|1|"
          "1|0|1|1|fail|numerics|O: wrong"});
  CHECK(query(file,
              "SELECT tensor, bound_ratio BETWEEN 0 AND 1, field_rule_ratio <= 1, nonfinite_count, zero_share, "
              "json_array_length("
              "ulp_histogram), json_array_length(worst_index) FROM metric WHERE execution = 1") ==
        std::vector<std::string>{"LSE|1|-|0|0.0|10|4", "O|1|1|0|0.0|10|4"});
}

TEST_CASE("an execution that a run has already stays as it is")
{
  const TempFolder folder;
  Store store = Store::open_or_create(folder.file("results.db"));
  write_run(store);
  CHECK(store.insert_execution(1, execute(parse_numerics_case("v3"), ReferenceBackend())) == 1);
  CHECK(store.executions(1).size() == 3);
}

TEST_CASE("what was found on an execution is read back by its digest, with its outcome, and its incidents with its id")
{
  const TempFolder folder;
  Store store = Store::open_or_create(folder.file("results.db"));
  write_run(store);
  const std::int64_t id = store.insert_execution(1, crashed_execution());

  auto stored = store.stored_executions(1);
  CHECK(stored.size() == 4);
  CHECK(stored.at("d").id == id);
  const auto& findings = stored.at("d").findings;
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].check_id == "crash");
  CHECK(findings[0].verdict == Verdict::crash);
  CHECK(findings[0].outcome == Outcome::flake);
  CHECK(findings[0].detail == "signal 11");
  CHECK(findings[1].outcome == Outcome::as_is);
  CHECK(stored.at(execution_digest(parse_numerics_case("v3"), ReferenceBackend())).findings.empty());

  const auto incidents = store.incidents(1);
  REQUIRE(incidents.size() == 1);
  CHECK(incidents[0].execution == id);
  CHECK(incidents[0].cell == 0);
  CHECK(incidents[0].detail == "stack\nof it");
}

TEST_CASE("an execution's incident is in the matrix once the execution answers for a cell")
{
  const TempFolder folder;
  write_sample(folder.file("results.db"));
  Store store = Store::open_or_create(folder.file("results.db"));
  const std::int64_t id = store.insert_execution(1, crashed_execution());
  const auto before = store.matrix(1).incidents.size();

  store.insert_cell_execution(1, 1, 1, id);
  const StoredMatrix matrix = store.matrix(1);
  REQUIRE(matrix.incidents.size() == before + 1);
  const IncidentRecord& incident = matrix.incidents.back();
  CHECK(incident.row == -1);
  CHECK(matrix.executions.at(static_cast<std::size_t>(incident.execution)).row.id == id);
  CHECK(matrix.incident_details.at(static_cast<std::size_t>(incident.detail)) == "stack\nof it");
}

TEST_CASE("executions are read back with the cells they answer for, counts and worst ratios")
{
  const TempFolder folder;
  Store store = Store::open_or_create(folder.file("results.db"));
  write_run(store);
  const auto rows = store.executions(1);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].cells == 2);
  CHECK(rows[0].digest == execution_digest(parse_numerics_case("v3"), ReferenceBackend()));
  CHECK(rows[2].verdict == Verdict::fail);
  CHECK(rows[2].check_id == "numerics");
  CHECK(rows[2].cells == 0);

  const auto counts = store.execution_counts(1);
  REQUIRE(counts.size() == 3);
  CHECK(counts[0].kernel == "v2");
  CHECK(counts[1].verdict == Verdict::pass);
  CHECK(counts[2].verdict == Verdict::fail);
  CHECK(counts[2].executions == 1);

  const auto ratios = store.worst_ratios(1);
  REQUIRE(ratios.size() == 5);
  CHECK(ratios[4].tensor == "O");
  CHECK(ratios[4].bound_ratio == 17);
  CHECK(ratios[4].execution == "v3/family=causal,seqlen=65");
  CHECK(store.executions(2).empty());
}
}  // namespace flashgate::matrix
