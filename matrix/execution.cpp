#include "matrix/execution.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <set>

#include <fmt/format.h>
#include <xxhash.h>

#include "matrix/deadlock.h"
#include "matrix/execution_checks.h"
#include "matrix/stage.h"
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

/// A case that is not run: evidence of nothing.
ExecutionResult skipped_result(const NumericsCase& numerics, const Backend& backend, const std::string& reason)
{
  ExecutionResult result = empty_result(numerics, backend);
  result.evidence = "none";
  add({"support", Verdict::skip, reason}, result);
  return result;
}

/// Why the case is not run at all; empty if it is.
std::string skip_reason(const NumericsCase& numerics, const Backend& backend)
{
  const std::string_view excluded = excluded_by(numerics);
  return excluded.empty() ? backend.refusal(numerics) : std::string(excluded);
}

/// The runs of one execution, judged as they come.
class JudgedRuns
{
 public:
  JudgedRuns(const ExecutionOracle& oracle, const Backend& backend, ExecutionResult& result)
      : oracle_(oracle), backend_(backend), result_(result), bits_(oracle.tensors.size())
  {
  }

  void judge()
  {
    const auto started = Clock::now();
    const KernelOutputs first = run(0);
    result_.seconds = std::chrono::duration<double>(Clock::now() - started).count();
    if (!first.ended) return;
    judge_first(first);
    for (int n = 1; n < backend_.runs(); ++n) {
      const KernelOutputs again = run(n);
      if (!again.ended) return;
      judge_again(first, again);
    }
  }

 private:
  KernelOutputs run(int number)
  {
    KernelOutputs outputs = poisoned_outputs(oracle_.numerics, oracle_.problem);
    KernelCall call = oracle_.call();
    call.run = number;
    enter_stage(fmt::format("run {} of {}", number + 1, backend_.runs()));
    backend_.run(call, outputs);
    ++result_.runs;
    add_new(std::move(outputs.findings));
    return outputs;
  }

  /// What another run found by a check that has spoken already is no news.
  void add_new(std::vector<ExecutionFinding> findings)
  {
    const std::size_t known = result_.findings.size();
    for (ExecutionFinding& finding : findings) {
      const auto end = result_.findings.begin() + static_cast<std::ptrdiff_t>(known);
      if (std::find_if(result_.findings.begin(), end,
                       [&](const ExecutionFinding& old) { return old.check_id == finding.check_id; }) == end)
        add(std::move(finding), result_);
    }
  }

  void judge_first(const KernelOutputs& outputs)
  {
    std::vector<ExecutionFinding> findings;
    for (std::size_t n = 0; n < oracle_.tensors.size(); ++n) {
      const ExpectedTensor& expected = oracle_.tensors[n];
      result_.tensors.push_back(judge_tensor(oracle_, expected, outputs, findings));
      result_.tensors.back().promises_bits = promises_bits(oracle_.numerics, expected.tensor.name);
      is_new(n, outputs);
    }
    add_new(std::move(findings));
  }

  /// Equal bits where they are promised; elsewhere other bits must be within the bound as well.
  void judge_again(const KernelOutputs& first, const KernelOutputs& again)
  {
    std::vector<ExecutionFinding> findings;
    judge_bits(oracle_, first, again, findings);
    for (std::size_t n = 0; n < oracle_.tensors.size(); ++n) {
      TensorResult& known = result_.tensors[n];
      if (!is_new(n, again) || known.promises_bits) continue;
      const TensorResult judged = judge_tensor(oracle_, oracle_.tensors[n], again, findings);
      if (judged.metrics.bound_ratio <= known.metrics.bound_ratio) continue;
      known.metrics = judged.metrics;
      known.field_rule_ratio = judged.field_rule_ratio;
    }
    add_new(std::move(findings));
  }

  /// True if no earlier run gave these bits of tensor `n`.
  bool is_new(std::size_t n, const KernelOutputs& outputs)
  {
    const reference::Tensor<double>& tensor = oracle_.tensors[n].tensor.of(outputs);
    const XXH128_hash_t hash = XXH3_128bits(tensor.data(), tensor.size() * sizeof(double));
    const bool inserted = bits_[n].insert({hash.high64, hash.low64}).second;
    result_.tensors[n].results = static_cast<int>(bits_[n].size());
    return inserted;
  }

  const ExecutionOracle& oracle_;
  const Backend& backend_;
  ExecutionResult& result_;
  std::vector<std::set<std::array<std::uint64_t, 2>>> bits_;  ///< of each tensor, hashes of what it has been
};

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
      {"hang", "every kernel ends"},
      {"trap", "no kernel stops itself by a trap or an assertion"},
      {"race", "no two threads touch the same memory unordered, one of them writing"},
      {"async_read", "nothing touches memory that an asynchronous copy is still on its way to"},
      {"uninit", "nothing reads memory or registers that were never written"},
      {"out_of_bounds", "every access lies inside one allocation"},
      {"misaligned", "every access is aligned to its size"},
      {"divergence", "the threads that a barrier or a warp-wide operation names arrive at it together"},
      {"red_zone", "inputs and the memory around every tensor stay as they were"},
      {"unwritten", "every element of the outputs is written"},
      {"lse_layout", "LSE is the natural logarithm, [batch, heads, seqlen_q], -inf for a fully masked row"},
      {"nonfinite", "nothing is NaN or infinite where the oracle is finite"},
      {"masked_nan", "NaN and infinity at masked keys reach nothing"},
      {"numerics", "every element is within the derived bound of the oracle"},
      {"bitwise", "runs under different schedules give equal bits where that is promised"},
      {"trust", "the data could have shown a fault"},
      {"timeout", "the execution ends in the time its work allows"},
      {"crash", "the worker that runs it survives"},
      {"memory", "the worker that runs it stays below the suite's limit"},
      {"protocol", "the worker answers as the protocol says"},
      {"missing", "every selected execution has a result"},
  };
  return all;
}

std::optional<std::string_view> find_execution_check(std::string_view id)
{
  const auto found = std::ranges::find(execution_checks(), id, &ExecutionCheck::id);
  return found == execution_checks().end() ? std::nullopt : std::optional(found->id);
}

std::string execution_digest(const NumericsCase& numerics, const Backend& backend)
{
  return digest_of(fmt::format("{}\n{}\n{}\n{}", numerics_name(numerics), backend.name(), backend.evidence(),
                               backend.kernel_hash(numerics)));
}

ExecutionResult execute(const NumericsCase& numerics, const Backend& backend)
{
  const std::string skipped = skip_reason(numerics, backend);
  if (!skipped.empty()) return skipped_result(numerics, backend, skipped);
  enter_stage("oracle");
  return execute(make_oracle(numerics), backend);
}

ExecutionResult unfinished_execution(const NumericsCase& numerics, const Backend& backend, ExecutionFinding finding)
{
  ExecutionResult result = empty_result(numerics, backend);
  add(std::move(finding), result);
  return result;
}

ExecutionResult execute(const ExecutionOracle& oracle, const Backend& backend)
{
  const std::string skipped = skip_reason(oracle.numerics, backend);
  if (!skipped.empty()) return skipped_result(oracle.numerics, backend, skipped);
  ExecutionResult result = empty_result(oracle.numerics, backend);
  try {
    JudgedRuns(oracle, backend, result).judge();
  } catch (const Deadlock& deadlock) {
    add({"hang", Verdict::hang, printable(deadlock.what())}, result);
    result.incidents.push_back({"hang", "deadlock", deadlock.evidence()});
  } catch (const std::exception& error) {
    add({"error", Verdict::error, printable(error.what())}, result);
  }
  return result;
}

}  // namespace flashgate::matrix
