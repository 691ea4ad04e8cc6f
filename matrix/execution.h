#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/backend.h"
#include "matrix/execution_oracle.h"
#include "matrix/verdict.h"
#include "reference/compare.h"

namespace flashgate::matrix {

/// What was measured on one tensor: a row of table `metric`.
struct TensorResult
{
  std::string_view tensor;  ///< O, LSE, dQ, dK, dV
  reference::TensorMetrics metrics;
  std::optional<double> field_rule_ratio;  ///< none for LSE, which the field's rule does not know
  bool promises_bits = true;               ///< every run must give the same bits
  int results = 1;                         ///< different results, bit for bit, that the runs gave
};

/// The evidence behind a finding where one line can't hold it.
struct ExecutionIncident
{
  std::string_view check_id;  ///< one of execution_checks()
  std::string kind;           ///< one word: "crash", "hang", "race", ...
  std::string detail;         ///< lines: where, who waits for what, stacks
};

/// One execution as it is judged: a row of table `execution`.
struct ExecutionResult
{
  NumericsCase numerics;
  std::string digest;
  std::string backend;
  std::string evidence;
  std::string kernel_hash;
  std::vector<TensorResult> tensors;       ///< empty if nothing ran
  std::vector<ExecutionFinding> findings;  ///< all but passes, in the order of the checks
  std::vector<ExecutionIncident> incidents;
  Verdict verdict = Verdict::pass;  ///< the worst of `findings`
  int runs = 0;                     ///< of the backend
  double seconds = 0;               ///< wall-clock time of the first run; the oracle's is not in it

  /// The first finding with the execution's verdict; nullptr for a pass.
  const ExecutionFinding* worst_finding() const;
};

/// A rule that judges executions. Its id is the word by which expectations and the store know it.
struct ExecutionCheck
{
  std::string_view id;
  std::string_view title;
};
const std::vector<ExecutionCheck>& execution_checks();

/// The id in that table that equals `id`, so that a text read from elsewhere can be kept as a view; empty if there is
/// none.
std::optional<std::string_view> find_execution_check(std::string_view id);

/// What an execution is known by: XXH3-128 of the case's name and all that identifies the code that runs it, 32
/// hexadecimal digits. Of one build of flashgate, equal digests mean equal results, in every run and on every machine.
std::string execution_digest(const NumericsCase& numerics, const Backend& backend);

/// Runs the case on the backend, as often as that wants to, and judges it by every check. A pure function of
/// case and backend but for `seconds`; any number of threads. Case that a constraint excludes or the backend refuses: a
/// skip with the reason. What the backend throws is an `error` finding; only the oracle may throw.
ExecutionResult execute(const NumericsCase& numerics, const Backend& backend);

/// The same with the oracle's part done already, for several backends on one case.
ExecutionResult execute(const ExecutionOracle& oracle, const Backend& backend);

/// The result of an execution that gave none: everything but measurements, and `finding`.
ExecutionResult unfinished_execution(const NumericsCase& numerics, const Backend& backend, ExecutionFinding finding);

}  // namespace flashgate::matrix
