#include "app/backends/kernel_backend.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/backends/device_findings.h"
#include "matrix/execution_oracle.h"
#include "matrix/rank_execution.h"
#include "matrix/texts.h"

namespace flashgate::app {
namespace {

using gpu::attention::AttentionCall;
using gpu::attention::AttentionHost;
using gpu::attention::Complaints;
using gpu::kernels::LaunchOptions;
using matrix::KernelCall;
using matrix::KernelOutputs;
using matrix::NumericsAxisId;
using matrix::NumericsCase;
using reference::AttentionGradients;
using reference::AttentionInputs;
using reference::AttentionOutputs;
using reference::ColumnMask;
using reference::Problem;

constexpr int kNewestKernel = 2;

int cp_size_of(const NumericsCase& numerics) { return number_of(numerics, NumericsAxisId::cp_size); }

/// The problem that a kernel gets to see, without lengths: a rank's is never causal.
Problem launched_problem(const NumericsCase& numerics)
{
  Problem problem = to_problem(numerics);
  if (cp_size_of(numerics) > 1) problem.causal = reference::Causal::none;
  return problem;
}

bool launch_ended_early(const Complaints& complaints)
{
  return std::ranges::any_of(complaints, &gpu::attention::Complaint::ended_launch);
}

/// Local attention of one case: the kernels of a host.
class Attention
{
 public:
  Attention(AttentionHost& host, const NumericsCase& numerics, const LaunchOptions& options, Complaints& complaints)
      : host_(host), numerics_(numerics), options_(options), complaints_(complaints)
  {
  }

  AttentionOutputs forward(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs)
  {
    auto result = host_.forward(call(problem, mask, inputs), options_, complaints_);
    return {std::move(result.o), std::move(result.lse)};
  }

  AttentionGradients backward(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                              const AttentionOutputs& of_forward)
  {
    if (launch_ended_early(complaints_)) return poisoned_outputs(numerics_, problem).backward;
    auto result = host_.backward(call(problem, mask, inputs), of_forward.o, of_forward.lse, options_, complaints_);
    return {std::move(result.dq), std::move(result.dk), std::move(result.dv), {}};
  }

 private:
  static AttentionCall call(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs)
  {
    return {problem, mask, inputs.q, inputs.k, inputs.v, inputs.d_o};
  }

  AttentionHost& host_;
  const NumericsCase& numerics_;
  LaunchOptions options_;
  Complaints& complaints_;
};

}  // namespace

/// A host for one run. It is not given back if the run throws.
class KernelBackend::Lease
{
 public:
  explicit Lease(const KernelBackend& backend) : backend_(backend), host_(backend.take()) {}

  Host& host() { return *host_; }
  void give_back()
  {
    const std::lock_guard lock(backend_.mutex_);
    backend_.idle_.push_back(std::move(host_));
  }

 private:
  const KernelBackend& backend_;
  std::unique_ptr<Host> host_;
};

KernelBackend::KernelBackend(KernelBackendParts parts) : parts_(std::move(parts))
{
  parts_.host.unwritten = matrix::kUnwritten;
  for (const auto& [name, text] : parts_.library)
    module_hashes_.emplace(name, matrix::digest_of(text));
}

std::unique_ptr<KernelBackend::Host> KernelBackend::take() const
{
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Host> host = std::move(idle_.back());
      idle_.pop_back();
      return host;
    }
  }
  return std::make_unique<Host>(parts_.make_device(), parts_.library, parts_.host);
}

LaunchOptions KernelBackend::launch_options(const NumericsCase& numerics) const
{
  LaunchOptions options;
  const bool is_naive = number_of(numerics, NumericsAxisId::kernel) == matrix::kNaiveKernel;
  options.family = is_naive ? gpu::kernels::Family::naive : gpu::kernels::Family::v2;
  options.lse_layout = is_naive ? gpu::kernels::LseLayout::canonical : gpu::kernels::LseLayout::version_2;
  if (parts_.lse_layout) options.lse_layout = *parts_.lse_layout;
  options.deterministic = number_of(numerics, NumericsAxisId::deterministic) != 0;
  if (cp_size_of(numerics) == 1) options.bounds_per_column = number_of(numerics, NumericsAxisId::mask_columns);
  return options;
}

std::string KernelBackend::refusal(const NumericsCase& numerics) const
{
  if (parts_.refusal) return parts_.refusal(numerics, launch_options(numerics));
  if (number_of(numerics, NumericsAxisId::kernel) > kNewestKernel) return "kernel not built yet";
  return gpu::kernels::refusal(launched_problem(numerics), launch_options(numerics));
}

std::string KernelBackend::kernel_hash(const NumericsCase& numerics) const
{
  if (!refusal(numerics).empty()) return "";
  std::set<std::string> modules;
  const auto add = [&](const gpu::kernels::LaunchPlan& plan) {
    for (const gpu::kernels::LaunchStep& step : plan.steps)
      modules.insert(step.module);
  };
  add(parts_.host.plan_forward(launched_problem(numerics), launch_options(numerics)));
  if (is_backward(numerics)) add(parts_.host.plan_backward(launched_problem(numerics), launch_options(numerics)));
  std::string hashes = parts_.identity;
  for (const std::string& module : modules)
    hashes += fmt::format("{} {}\n", module, module_hashes_.at(module));
  return matrix::digest_of(hashes);
}

void KernelBackend::run(const KernelCall& call, KernelOutputs& outputs) const
{
  Lease lease(*this);
  const std::string where = parts_.prepare(lease.host().device(), call.run);
  Complaints complaints;
  Attention attention(lease.host(), call.numerics, launch_options(call.numerics), complaints);
  const auto forward = [&](const auto&... arguments) { return attention.forward(arguments...); };
  const auto backward = [&](const auto&... arguments) { return attention.backward(arguments...); };
  run_attention(call, {forward, backward}, outputs);
  outputs.findings = findings_of(complaints, where);
  outputs.ended = !launch_ended_early(complaints);
  lease.give_back();
}

}  // namespace flashgate::app
