#include "matrix/execution.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include <fmt/format.h>
#include <xxhash.h>

#include "matrix/execution_checks.h"
#include "matrix/texts.h"

namespace flashgate::matrix {
namespace {

using Clock = std::chrono::steady_clock;

ExecutionResult empty_result(const NumericsCase& numerics, const Backend& backend)
{
  ExecutionResult result;
  result.numerics = numerics;
  result.digest = execution_digest(numerics, backend);
  result.backend = backend.name();
  result.evidence = backend.evidence();
  result.kernel_hash = backend.kernel_hash(numerics);
  return result;
}

void add(ExecutionFinding finding, ExecutionResult& result)
{
  result.verdict = worse(result.verdict, finding.verdict);
  result.findings.push_back(std::move(finding));
}

/// Why the case is not run at all; empty if it is.
std::string skip_reason(const NumericsCase& numerics, const Backend& backend)
{
  const std::string_view excluded = excluded_by(numerics);
  return excluded.empty() ? backend.refusal(numerics) : std::string(excluded);
}

KernelOutputs run(const ExecutionOracle& oracle, const Backend& backend)
{
  KernelOutputs outputs = poisoned_outputs(oracle.numerics, oracle.problem);
  backend.run(oracle.call(), outputs);
  return outputs;
}

bool runs_twice(const NumericsCase& numerics)
{
  return std::ranges::any_of(judged_tensors(numerics),
                             [&](const JudgedTensor& tensor) { return promises_bits(numerics, tensor.name); });
}

void run_and_judge(const ExecutionOracle& oracle, const Backend& backend, ExecutionResult& result)
{
  const auto started = Clock::now();
  const KernelOutputs outputs = run(oracle, backend);
  result.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  std::vector<ExecutionFinding> findings;
  for (const ExpectedTensor& expected : oracle.tensors)
    result.tensors.push_back(judge_tensor(oracle, expected, outputs, findings));
  if (runs_twice(oracle.numerics)) judge_bits(oracle, outputs, run(oracle, backend), findings);
  for (ExecutionFinding& finding : findings)
    add(std::move(finding), result);
}

}  // namespace

const ExecutionFinding* ExecutionResult::worst_finding() const
{
  const auto found = std::ranges::find(findings, verdict, &ExecutionFinding::verdict);
  return found == findings.end() ? nullptr : &*found;
}

const std::vector<ExecutionCheck>& execution_checks()
{
  static const std::vector<ExecutionCheck> all{
      {"support", "the backend can run the case"},
      {"error", "the backend returns a result"},
      {"unwritten", "every element of the outputs is written"},
      {"lse_layout", "LSE is the natural logarithm, [batch, heads, seqlen_q], -inf for a fully masked row"},
      {"nonfinite", "nothing is NaN or infinite where the oracle is finite"},
      {"masked_nan", "NaN and infinity at masked keys reach nothing"},
      {"numerics", "every element is within the derived bound of the oracle"},
      {"bitwise", "two runs give equal bits where that is promised"},
      {"trust", "the data could have shown a fault"},
      {"missing", "every selected execution has a result"},
  };
  return all;
}

std::string execution_digest(const NumericsCase& numerics, const Backend& backend)
{
  const std::string text = fmt::format("{}\n{}\n{}\n{}", numerics_name(numerics), backend.name(), backend.evidence(),
                                       backend.kernel_hash(numerics));
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

ExecutionResult execute(const NumericsCase& numerics, const Backend& backend)
{
  const std::string skipped = skip_reason(numerics, backend);
  if (skipped.empty()) return execute(make_oracle(numerics), backend);
  ExecutionResult result = empty_result(numerics, backend);
  add({"support", Verdict::skip, skipped}, result);
  return result;
}

ExecutionResult execute(const ExecutionOracle& oracle, const Backend& backend)
{
  ExecutionResult result = empty_result(oracle.numerics, backend);
  const std::string skipped = skip_reason(oracle.numerics, backend);
  if (!skipped.empty()) {
    add({"support", Verdict::skip, skipped}, result);
    return result;
  }
  try {
    run_and_judge(oracle, backend, result);
  } catch (const std::exception& error) {
    add({"error", Verdict::error, printable(error.what())}, result);
  }
  return result;
}

}  // namespace flashgate::matrix
