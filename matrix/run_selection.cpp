#include "matrix/run_selection.h"

#include <unordered_set>

#include <fmt/format.h>

#include "matrix/provenance.h"
#include "matrix/shard_plan.h"
#include "matrix/texts.h"

namespace flashgate::matrix {
namespace {

/// Keeps the cells of the shard that was asked for.
void take_shard(const RunOptions& options, RunSelection& selection)
{
  const Shard shard = parse_shard(options.shard);
  const std::vector<Cell>& all = selection.enumeration.cells;
  const CellSeconds seconds =
      options.durations.empty() ? CellSeconds() : recorded_seconds(options.durations, selection.suite.name);
  const std::vector<int> shards = plan_shards(all, seconds, shard.count);
  std::string plan = digest(selection);
  std::unordered_set<std::string> ours;
  for (std::size_t i = 0; i < all.size(); ++i) {
    plan += fmt::format(" {}", shards[i]);
    if (shards[i] == shard.index) ours.insert(cell_name(all[i]));
  }
  selection.whole_digest = digest_of(plan);
  selection.whole = selection.cells;
  std::erase_if(selection.cells, [&](const Cell& cell) { return !ours.contains(cell_name(cell)); });
}

}  // namespace

RunSelection select(const RunOptions& options)
{
  RunSelection selection;
  selection.subjects = select_subjects(options.subjects);
  selection.suite = load_suite(options.suites_folder, options.suite);
  selection.enumeration = enumerate(selection.suite);
  selection.cells = filter_cells(selection.enumeration.cells, {options.include, options.exclude});
  selection.backend = options.backend;
  selection.evidence = options.evidence;
  if (!options.shard.empty()) take_shard(options, selection);
  return selection;
}

std::string digest(const RunSelection& selection)
{
  std::string names;
  for (const SubjectPtr& subject : selection.subjects)
    names += subject->name() + '\n';
  for (const Cell& cell : selection.cells)
    names += cell_name(cell) + '\n';
  if (!selection.backend.empty()) names += "backend " + selection.backend + '\n';
  if (!selection.evidence.empty()) names += "evidence " + selection.evidence + '\n';
  return digest_of(names);
}

RunRecord make_run_record(const RunOptions& options, const RunSelection& selection)
{
  RunRecord run;
  run.suite = selection.suite.name;
  run.suite_digest = digest(selection);
  run.options = options.command_line;
  run.seed = options.seed;
  run.with_expectations = options.with_expectations;
  run.provenance = current_provenance();
  run.started = utc_now();
  run.selected = static_cast<std::int64_t>(selection.cells.size() * selection.subjects.size());
  return run;
}

}  // namespace flashgate::matrix
