#include <iostream>

#include "app/command_line.h"
#include "app/explanation.h"
#include "matrix/checks.h"
#include "matrix/constraints.h"
#include "matrix/runner.h"
#include "matrix/subjects.h"

namespace flashgate::app {
namespace {

/// A cell that the constraints keep out of the matrix: says so, and that nothing ran.
int explain_excluded(const matrix::Cell& cell, std::string_view reason)
{
  std::cout << "cell     " << matrix::cell_name(cell) << "\nexcluded " << reason << '\n';
  return static_cast<int>(matrix::ExitCode::nothing_ran);
}

/// Explains the cell for each subject; the worst verdict of all.
matrix::Verdict explain_all(const CommandLine& line, const matrix::Cell& cell)
{
  matrix::Verdict worst = matrix::Verdict::pass;
  explain_request(std::cout, cell);
  for (const matrix::SubjectPtr& subject : matrix::select_subjects(line.run.subjects))
    worst = matrix::worse(worst, explain_subject(std::cout, cell, *subject));
  return worst;
}

}  // namespace

int explain_verb(const CommandLine& line)
{
  const matrix::Cell cell = matrix::parse_cell(line.cell);
  if (const std::string_view reason = matrix::excluded_by(cell); !reason.empty()) return explain_excluded(cell, reason);
  explain_all(line, cell);
  return 0;
}

int repro_verb(const CommandLine& line)
{
  const matrix::Cell cell = matrix::parse_cell(line.cell);
  if (const std::string_view reason = matrix::excluded_by(cell); !reason.empty()) return explain_excluded(cell, reason);
  const matrix::Verdict worst = explain_all(line, cell);
  return static_cast<int>(matrix::is_failure(worst) ? matrix::ExitCode::failures : matrix::ExitCode::as_expected);
}

}  // namespace flashgate::app
