// How fast plans are made and judged: the exhaustive core of all built-in subjects on one core, in memory, without
// traces.
#include <benchmark/benchmark.h>

#include "matrix/checks.h"
#include "matrix/enumerator.h"
#include "matrix/subjects.h"

namespace flashgate::matrix {
namespace {

std::vector<Cell> core_cells()
{
  Selection core;
  for (const Axis& axis : axes())
    if (axis.core) core.axes.push_back(every_value(axis));
  Suite suite;
  suite.selections.push_back(core);
  return enumerate(suite).cells;
}

void plan_and_judge(benchmark::State& state, const std::vector<SubjectPtr>& subjects)
{
  const std::vector<Cell> cells = core_cells();
  sim::CellPlan plan;
  Judgement judgement;
  std::int64_t findings = 0;
  for (auto _ : state)
    for (const SubjectPtr& subject : subjects)
      for (const Cell& cell : cells) {
        const sim::Request request = to_request(cell);
        subject->plan(request, false, plan);
        judge(request, plan, judgement);
        findings += static_cast<std::int64_t>(judgement.findings.size());
      }
  benchmark::DoNotOptimize(findings);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(subjects.size() * cells.size()));
}

void all_subjects(benchmark::State& state) { plan_and_judge(state, built_in_subjects()); }
BENCHMARK(all_subjects)->Unit(benchmark::kMillisecond);

void clean_control(benchmark::State& state) { plan_and_judge(state, {find_subject("model:effective-first")}); }
BENCHMARK(clean_control)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flashgate::matrix
