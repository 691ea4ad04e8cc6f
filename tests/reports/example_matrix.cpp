#include "example_matrix.h"

#include "example_run.h"
#include "reports/matrix_json.h"
#include "reports/run_changes.h"

namespace flashgate::tests {
namespace {

using matrix::Outcome;
using matrix::Verdict;

matrix::PlanRecord plan(const std::string& forward, const std::string& error, int trace)
{
  matrix::PlanRecord record;
  record.fields.resize(matrix::plan_fields().size());
  record.fields[0] = forward;
  if (!error.empty()) {
    record.fields[10] = "fwd";
    record.fields[11] = error;
  }
  record.end = error.empty() ? "v" + forward + " / v" + forward : "fwd " + error;
  record.trace = trace;
  return record;
}

matrix::ExecutionRecord execution(const std::string& name)
{
  matrix::ExecutionRecord record;
  record.row = {1, "0123", name, "emulated", "v2", "L1", Verdict::fail, "numerics", "O: 1.5 x bound", 0.25, 1};
  record.metrics = {{"O", 1e-3, 1e-2, 1.5, 0.9, "[4, 2, 1]", "[0, 1, 2, 3]", 0, 0.25}};
  return record;
}

reports::GraphFile graph_file(const std::string& subject, const std::string& stem, bool drawn)
{
  reports::GraphFile file;
  file.subject = subject;
  file.stem = stem;
  file.drawn = drawn;
  file.reason = drawn ? "" : "dot: not found; sfdp: not found";
  file.graph = reports::build_graph(faulty_routes());
  file.svg = drawn ? "<svg xmlns=\"http://www.w3.org/2000/svg\"><g id=\"n0\" class=\"node\"/></svg>" : "";
  return file;
}

std::vector<matrix::RunFigures> example_trend(const matrix::RunRecord& run)
{
  matrix::RunFigures older, newer;
  older.run = newer.run = run;
  older.run.name = "default-0";
  older.run.started = "2026-01-01T03:04:05Z";
  older.run.finished = "2026-01-01T03:04:12Z";
  older.cells = newer.cells = 100;
  older.passing = 97;
  newer.passing = 80;
  older.worst_ratio = 0.5;
  newer.worst_ratio = 1.5;
  newer.failures["I4"] = 12;
  return {older, newer};
}

}  // namespace

matrix::StoredMatrix example_matrix()
{
  matrix::StoredMatrix m;
  m.subjects = {{1, "model:fleet-d", "after #1396"}, {2, "model:effective-first", "the clean control"}};
  m.cell_names = {"rr_flashmask", "rr_flashmask/flag_version=4,head_dim=192", "rr_flash/flag_version=5"};
  m.axes = {{"path", {"rr_flashmask", "rr_flash"}, {0, 0, 1}},
            {"flag_version", {"3", "4", "5"}, {0, 1, 2}},
            {"device", {"sm90", "sm80"}, {0, 0, 1}},
            {"head_dim", {"128", "192"}, {0, 1, 0}},
            {"head_dim_v", {"128", "192"}, {0, 1, 0}}};
  m.steps = {{sim::Phase::forward, sim::Symbol("v4 missing"), sim::Symbol("yes")},
             {sim::Phase::forward, sim::Symbol("launches"), sim::Symbol("v3")}};
  m.traces = {{0, 1}, {1}};
  m.plans = {plan("3", "", 0), plan("2", "", 1), plan("", "ValueError", -1)};
  m.plan_sets = {{}, {0}, {1, 0}, {2}};
  m.details = {"forward v3, expected v2", "invalid version"};
  m.findings = {{"I4", Verdict::fail, Outcome::as_is, 0},
                {"I5", Verdict::not_supported, Outcome::as_is, 1},
                {"I4", Verdict::fail, Outcome::expected_fail, 0}};
  m.finding_sets = {{}, {0}, {1}, {2}};
  m.executions = {execution("v2/family=causal")};
  m.execution_sets = {{}, {0}};
  m.rows = {{0, 0, Verdict::pass, 9, 1, 0, 1},          {0, 1, Verdict::fail, 1, 1, 1, 0},
            {0, 2, Verdict::not_supported, 1, 3, 2, 0}, {1, 0, Verdict::pass, 9, 2, 0, 0},
            {1, 1, Verdict::fail, 1, 2, 3, 0},          {1, 2, Verdict::not_supported, 1, 3, 2, 0}};
  m.incidents = {{1, "I7", "hang", 0}, {-1, "crash", "crash", 1, 0}};
  m.incident_details = {"rank 0 waits in all_gather(K)\nrank 1 raised ImportError",
                        "the worker died of signal 11\nstack of thread 1"};
  return m;
}

matrix::StoredMatrix matrix_full_of(const std::string& bad)
{
  matrix::StoredMatrix m = example_matrix();
  for (matrix::SubjectRecord& subject : m.subjects)
    subject.name = subject.description = bad;
  m.cell_names.assign(m.cell_names.size(), bad);
  for (matrix::DictionaryColumn& column : m.axes)
    column.values.assign(column.values.size(), bad);
  for (sim::TraceStep& step : m.steps)
    step.decision = step.outcome = sim::Symbol(bad);
  for (matrix::PlanRecord& one : m.plans) {
    one.fields.assign(one.fields.size(), bad);
    one.end = bad;
  }
  m.details.assign(m.details.size(), bad);
  m.incident_details.assign(m.incident_details.size(), bad);
  for (matrix::IncidentRecord& incident : m.incidents)
    incident.check_id = incident.kind = bad;
  for (matrix::RowFinding& finding : m.findings)
    finding.check_id = bad;
  m.executions = {execution(bad)};
  matrix::ExecutionRow& row = m.executions[0].row;
  row.digest = row.backend = row.kernel = row.evidence = row.check_id = row.detail = bad;
  matrix::MetricRecord& metric = m.executions[0].metrics[0];
  metric.tensor = metric.ulp_histogram = metric.worst_index = bad;
  return m;
}

reports::PageContent example_page()
{
  reports::PageContent page;
  page.summary = reports::summarize(example_source());
  page.summary.executions = {{"v2", "L1", Verdict::pass, "", 40}, {"v2", "none", Verdict::fail, "", 1}};
  page.summary.worst_ratios = {{"v2", "bf16", "O", 1.5, 0.9, "v2/family=causal"}};
  page.files.graphs = {graph_file("model:fleet-d", "model-fleet-d", true),
                       graph_file("model:effective-first", "model-effective-first", false)};
  page.files.database = true;
  const matrix::StoredMatrix matrix = example_matrix();
  const std::vector<reports::OlderRun> history{{"default-0", "", "2026-01-01T03:04:05Z", {1, 3, 4}, {0, 5, -1}}};
  page.matrix_json = reports::matrix_json(matrix, page.summary.run, history);
  page.changes = reports::find_changes(matrix, history);
  page.changes.groups.front().deciding = {{sim::Phase::forward, "v4 missing", "no", {}},
                                          {sim::Phase::forward, "v4 missing", "yes", {}}};
  page.support = reports::find_support(matrix);
  page.coverage = {{"model:fleet-d", "attention/dispatch.py", 20, 17, "12-14"}};
  page.trend = example_trend(page.summary.run);
  return page;
}

}  // namespace flashgate::tests
