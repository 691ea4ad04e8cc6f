#include "tests/matrix/store_fixture.h"

#include <fstream>
#include <iterator>

#include <stdlib.h>

#include "reference/error.h"
#include "sim/dispatch/built_in_models.h"

namespace flashgate::matrix {
namespace {

using sim::Symbol;

/// Seed bugs 1 and 2, a hang, a refusal, a plain good cell, and both kinds of head dim.
constexpr const char* kSampleCells[] = {
    "rr_flashmask",
    "rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192",
    "rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192/128",
    "rr_flashmask/flag_version=2,head_dim=256",
    "rr_flashmask/flag_version=5",
    "cp_flashmask/flag_version=4,v4_import=no,deterministic=on,signature=legacy",
    "cp_flashmask/device=xpu",
    "cp_flashmask/flag_version=4,device=sm100,rank_skew=rank0_only",
};

std::vector<std::int64_t> intern_models(Store& store)
{
  std::vector<std::int64_t> ids;
  for (const auto& model : sim::built_in_models())
    ids.push_back(store.intern_subject(model->name(), model->description()));
  return ids;
}

void write_cell(Store& store, std::int64_t run, std::int64_t subject, std::int64_t cell_id, const Cell& cell,
                const sim::Subject& model)
{
  sim::CellPlan plan;
  Judgement judgement;
  const sim::Request request = to_request(cell);
  model.plan(request, true, plan);
  judge(request, plan, judgement);
  store.insert_plan(run, subject, cell_id, plan, judgement.passed, judgement.worst());
  for (const auto& [check, finding] : judgement.findings)
    store.insert_verdict(run, {subject, cell_id, std::string(checks()[static_cast<std::size_t>(check)].id),
                               finding.verdict, Outcome::as_is, finding.text()});
}

void write_run(Store& store, bool d_like_c)
{
  const auto models = sim::built_in_models();
  const auto model_named = [&](const std::string& name) {
    for (const auto& model : models)
      if (model->name() == name) return model;
    throw Error("no model " + name);
  };
  std::vector<Cell> cells;
  for (const char* name : kSampleCells)
    cells.push_back(parse_cell(name));

  RunRecord run = run_of("default");
  store.begin();
  store.insert_run(run);
  const std::vector<std::int64_t> ids = store.intern_cells(cells);
  const std::vector<std::int64_t> subjects = intern_models(store);
  for (std::size_t s = 0; s < models.size(); ++s)
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool other = d_like_c && models[s]->name() == "model:fleet-d";
      write_cell(store, run.id, subjects[s], ids[c], cells[c], other ? *model_named("model:fleet-c") : *models[s]);
    }
  store.insert_expectation_use(run.id, {"default-fails.txt", 7, "check=I4 flag_version=4", "seed bug 1", "used", 4, 4});
  store.insert_expectation_use(run.id, {"default-fails.txt", 9, "check=I9 dropout=0.1", "fixed", "unexpected", 3, 0});
  store.finish_run(run.id, "2026-01-01T00:01:00Z", 1);
}

/// What later parts of flashgate write.
constexpr const char* kExecutions = R"(
  INSERT INTO execution (id, run, digest, name, backend, kernel, evidence, dtype, direction, head_dim, head_dim_v,
                         mask_family, causal, seqlen_q, seqlen_k, num_heads, num_heads_kv, mask_heads, batch,
                         deterministic, cp_size, seed, verdict, runs, seconds)
  VALUES (1, 1, 'a1', 'forward/v2', 'emulated', 'v2', 'L2', 'bf16', 'forward', 128, 128, 'causal_document',
          'bottom_right', 129, 257, 4, 2, 1, 1, 0, 1, 1, 'pass', 6, 0.25),
         (2, 1, 'b2', 'backward/v2', 'emulated', 'v2', 'L1', 'bf16', 'backward', 128, 128, 'causal_document',
          'bottom_right', 129, 257, 4, 2, 1, 1, 0, 1, 1, 'fail', 1, 1.5);
  INSERT INTO metric (execution, tensor, max_abs, max_rel, bound_ratio, field_rule_ratio, ulp_histogram, worst_index,
                      nonfinite_count, zero_share, promises_bits, results)
  VALUES (1, 'O', 0.01, 0.02, 0.5, 0.7, '[3,2,1]', '[0,1,2,3]', 0, 0.0, 1, 1),
         (2, 'dQ', 0.5, 0.2, 1.5, 2.7, '[0,0,9]', '[0,1,2,3]', 1, 0.0, 0, 1);
  INSERT INTO cell_execution VALUES (1, 1, 1, 1), (1, 1, 1, 2), (1, 2, 1, 1);
  INSERT INTO coverage_line VALUES (1, 1, 'attention.py', 10, 3, 1), (1, 1, 'attention.py', 11, 0, NULL);
)";

}  // namespace

TempFolder::TempFolder()
{
  std::string name = (std::filesystem::temp_directory_path() / "flashgate-store-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error("no temporary folder");
  path_ = name;
}

TempFolder::~TempFolder()
{
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> query(const std::string& database, const std::string& sql)
{
  SQLite::Database file(database, SQLite::OPEN_READONLY);
  SQLite::Statement select(file, sql);
  std::vector<std::string> rows;
  while (select.executeStep()) {
    std::string& row = rows.emplace_back();
    for (int i = 0; i < select.getColumnCount(); ++i) {
      const SQLite::Column column = select.getColumn(i);
      row += (i == 0 ? "" : "|") + (column.isNull() ? std::string("-") : column.getString());
    }
  }
  return rows;
}

std::string file_bytes(const std::string& path)
{
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

sim::CellPlan full_plan()
{
  sim::CellPlan plan;
  plan.reset(1);
  sim::RankPlan& rank = plan.rank(0);
  rank.forward.version = 3;
  rank.forward.kernel = Symbol("flashmask_attention_v2");
  rank.forward.arity = 8;
  rank.second_forward.version = 3;
  rank.handed_version = 3;
  rank.backward.version = 2;
  rank.backward.kernel = Symbol("flashmask_attention_grad");
  rank.backward.arity = 10;
  rank.lse_version = 3;
  rank.trace = {{sim::Phase::forward, Symbol("v4 available"), Symbol("no")},
                {sim::Phase::backward, Symbol("version"), Symbol("v2")}};
  return plan;
}

sim::CellPlan failed_plan(int steps)
{
  sim::CellPlan plan;
  plan.reset(1);
  plan.rank(0).fail(sim::Phase::backward, Symbol("ValueError"), Symbol("unsupported, \"really\""));
  for (int i = 0; i < steps; ++i)
    plan.rank(0).trace.push_back({sim::Phase::forward, Symbol("step " + std::to_string(i)), Symbol("yes")});
  return plan;
}

RunRecord run_of(const std::string& suite)
{
  RunRecord run;
  run.suite = suite;
  run.suite_digest = "0123456789abcdef";
  run.options = "run --suite " + suite;
  run.seed = 42;
  run.provenance = {"0a1b2c3", true, "GNU 12.2.0", "Release", "Linux x86_64, 2 cores"};
  run.started = "2026-01-01T00:00:00Z";
  run.selected = 48;
  return run;
}

void write_sample(const std::string& database)
{
  {
    Store store = Store::open_or_create(database);
    write_run(store, false);
    write_run(store, true);
  }
  SQLite::Database(database, SQLite::OPEN_READWRITE).exec(kExecutions);
}

}  // namespace flashgate::matrix
