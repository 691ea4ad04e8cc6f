// The harness can fail: each saboteur kernel does one thing wrong, and the smoke suite's executions catch it by the
// check that is there for it.
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "matrix/enumerator.h"
#include "matrix/execution.h"
#include "matrix/execution_selection.h"
#include "tests/matrix/saboteur_kernels.h"
#include "tests/matrix/smoke_selection.h"

namespace flashgate::matrix {
namespace {

/// Where a saboteur was caught by its check; `by` counts every check that found it until then.
struct Catch
{
  std::string at;
  std::map<std::string, int> by;
};

/// Any finding that the right kernel does not have, whichever check it is by.
void hunt(const ExecutionOracle& oracle, const SaboteurKernelRow& row, Catch& caught)
{
  for (const ExecutionFinding& finding : execute(oracle, SaboteurKernel(row)).findings) {
    ++caught.by[std::string(finding.check_id)];
    if (finding.check_id == row.check) caught.at = numerics_name(oracle.numerics);
  }
}

std::string told(const std::map<std::string, int>& counts)
{
  std::string text;
  for (const auto& [check, count] : counts)
    text += (text.empty() ? "" : ", ") + check + " " + std::to_string(count);
  return text;
}

}  // namespace

TEST_CASE("the right kernel passes every execution of smoke, and every saboteur is caught by its check")
{
  const ExecutionSelection selection = smoke_selection();
  CHECK(selection.cases().size() == kSmokeExecutions);
  std::map<std::string_view, Catch> catches;
  for (const NumericsCase& numerics : selection.cases()) {
    const ExecutionOracle oracle = make_oracle(numerics);
    const ExecutionResult right = execute(oracle, ReferenceBackend());
    CHECK_MESSAGE(right.verdict == Verdict::pass, numerics_name(numerics), ": ",
                  right.findings.empty() ? "" : right.findings.front().detail);
    for (const SaboteurKernelRow& row : saboteur_kernels())
      if (catches[row.name].at.empty()) hunt(oracle, row, catches[row.name]);
  }
  CHECK(saboteur_kernels().size() >= 15);
  for (const SaboteurKernelRow& row : saboteur_kernels()) {
    const Catch& caught = catches[row.name];
    CHECK_MESSAGE(!caught.at.empty(), row.name, " is not caught by ", row.check, ", only by: ", told(caught.by));
    MESSAGE(std::string(row.name), " (", std::string(row.fault), "): caught by ", std::string(row.check), " at ",
            caught.at);
  }
}

}  // namespace flashgate::matrix
