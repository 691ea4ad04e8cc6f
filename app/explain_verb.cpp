#include <iostream>
#include <memory>
#include <optional>

#include "app/backend_table.h"
#include "app/command_line.h"
#include "app/execution_text.h"
#include "app/explanation.h"
#include "matrix/checks.h"
#include "matrix/constraints.h"
#include "matrix/numerics_case.h"
#include "matrix/runner.h"
#include "matrix/subjects.h"

namespace flashgate::app {
namespace {

/// Explains the cell for each subject; the worst verdict of all.
matrix::Verdict explain_all(const CommandLine& line, const matrix::Cell& cell)
{
  matrix::Verdict worst = matrix::Verdict::pass;
  explain_request(std::cout, cell);
  for (const matrix::SubjectPtr& subject : matrix::select_subjects(line.run.subjects))
    worst = matrix::worse(worst, explain_subject(std::cout, cell, *subject));
  return worst;
}

/// What the user names: a cell, or an execution where it answers for a cell, "CELL//NUMERICS".
struct Named
{
  matrix::Cell cell;
  std::optional<matrix::NumericsCase> numerics;
};

Named parse_named(const std::string& name)
{
  if (name.find("//") == std::string::npos) return {matrix::parse_cell(name), std::nullopt};
  const matrix::CellCase both = matrix::parse_cell_case(name);
  return {both.cell, both.numerics};
}

/// The backend that the user asked for, at the level they asked for or at L2, which finds all that L1 does.
std::unique_ptr<matrix::Backend> strictest_backend(const CommandLine& line)
{
  auto backend = make_backend({line.run.backend, line.run.evidence});
  if (!line.run.evidence.empty() || backend->evidence() != "L1") return backend;
  return make_backend({backend->name(), "L2"});
}

/// Explains the cell and the execution; the worst verdict of both, or nothing if a constraint excludes one of them.
std::optional<matrix::Verdict> explain_named(const CommandLine& line)
{
  const Named named = parse_named(line.cell);
  std::string_view reason = matrix::excluded_by(named.cell);
  if (reason.empty() && named.numerics) reason = matrix::excluded_by(*named.numerics);
  if (!reason.empty()) {
    std::cout << "cell     " << line.cell << "\nexcluded " << reason << '\n';
    return std::nullopt;
  }
  const matrix::Verdict verdict = explain_all(line, named.cell);
  return named.numerics ? matrix::worse(verdict, explain_numerics(std::cout, *named.numerics, *strictest_backend(line)))
                        : verdict;
}

}  // namespace

/// An excluded cell is not run: that is no success.
int explain_verb(const CommandLine& line)
{
  return static_cast<int>(explain_named(line) ? matrix::ExitCode::as_expected : matrix::ExitCode::nothing_ran);
}

int repro_verb(const CommandLine& line)
{
  const auto verdict = explain_named(line);
  if (!verdict) return static_cast<int>(matrix::ExitCode::nothing_ran);
  return static_cast<int>(matrix::is_failure(*verdict) ? matrix::ExitCode::failures : matrix::ExitCode::as_expected);
}

}  // namespace flashgate::app
