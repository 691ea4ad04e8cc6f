#include "matrix/run_selection.h"

#include "matrix/provenance.h"
#include "matrix/texts.h"

namespace flashgate::matrix {

RunSelection select(const RunOptions& options)
{
  RunSelection selection;
  selection.subjects = select_subjects(options.subjects);
  selection.suite = load_suite(options.suites_folder, options.suite);
  selection.enumeration = enumerate(selection.suite);
  CellFilter filter{options.include, options.exclude, {}};
  if (!options.shard.empty()) filter.shard = parse_shard(options.shard);
  selection.cells = filter_cells(selection.enumeration.cells, filter);
  selection.backend = options.backend;
  selection.evidence = options.evidence;
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
