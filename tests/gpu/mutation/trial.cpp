#include "tests/gpu/mutation/trial.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "reference/error.h"

namespace flashgate::gpu::mutation {
namespace {

using attention::Complaints;
using attention::KernelLibrary;

/// A mutant that needs this many times the right kernel's warp instructions, and a few more, hangs.
constexpr std::uint64_t kPatience = 3;
constexpr std::uint64_t kFewInstructions = 10'000;
constexpr int kSeeds = 3;
/// All cases run in the natural order, these many (several blocks, tiles and stages each) in the other ones.
constexpr std::size_t kScheduledCases = 4;

/// The emulated device with one set of kernels; parsed and decoded when they are first launched.
class Bench
{
 public:
  Bench(const KernelLibrary& library, const attention::HostOptions& options)
      : Bench(library, options, std::make_unique<CountingDevice>())
  {
  }

  void set_schedule(ExecutionOptions options, const TrialCase& c)
  {
    if (c.work.all != 0) options.instruction_budget = options.spin_budget = kPatience * c.work.all + kFewInstructions;
    device_->set_options(options);
  }

  attention::AttentionHost& host() { return host_; }
  Work take_work() { return device_->take_work(); }

 private:
  Bench(const KernelLibrary& library, attention::HostOptions options, std::unique_ptr<CountingDevice> device)
      : device_(device.get()), host_(std::move(device), library, not_zero(std::move(options)))
  {
  }

  /// What no kernel wrote is a NaN, so that the comparison finds it.
  static attention::HostOptions not_zero(attention::HostOptions options)
  {
    options.unwritten = std::numeric_limits<double>::quiet_NaN();
    return options;
  }

  CountingDevice* device_;
  attention::AttentionHost host_;
};

attention::AttentionCall call_of(const kernels::JudgedCase& judged)
{
  return {judged.problem, judged.mask, judged.inputs.q, judged.inputs.k, judged.inputs.v, judged.inputs.d_o};
}

std::string text_of(const std::vector<std::byte>& memory)
{
  return {reinterpret_cast<const char*>(memory.data()), memory.size()};
}

/// One call on one schedule.
struct Outcome
{
  Complaints complaints;
  double bound_ratio = 0;
  std::string bits;
  Work work;
};

Outcome run_case(Bench& bench, const TrialCase& c)
{
  Outcome outcome;
  kernels::KernelResult result;
  result.outputs = {c.forward.o, c.forward.lse};
  const attention::AttentionCall call = call_of(c.judged);
  bench.take_work();
  if (c.is_backward) {
    const attention::BackwardResult backward =
        bench.host().backward(call, c.forward.o, c.forward.lse, c.options, outcome.complaints);
    outcome.bits = text_of(backward.memory);
    result.gradients = {backward.dq, backward.dk, backward.dv};
    outcome.bound_ratio = kernels::backward_ratio(c.judged, result);
  } else {
    const attention::ForwardResult forward = bench.host().forward(call, c.options, outcome.complaints);
    outcome.bits = text_of(forward.memory);
    result.outputs = {forward.o, forward.lse};
    outcome.bound_ratio = kernels::forward_ratio(c.judged, result);
  }
  outcome.work = bench.take_work();
  return outcome;
}

/// What is wrong with an outcome as such; empty if nothing is.
TrialResult judge(const TrialCase& c, const Outcome& outcome)
{
  if (!outcome.complaints.empty()) {
    const attention::Complaint& first = outcome.complaints.front();
    return {first.check ? std::string(check_name(*first.check)) : "memory", c.judged.name + ": " + first.text};
  }
  if (!(outcome.bound_ratio <= 1.0))
    return {"numerics", fmt::format("{}: {:.3g} times the bound", c.judged.name, outcome.bound_ratio)};
  return {};
}

/// Block classes that are too careful change no result, only what it costs.
bool is_wasteful(const Work& work, const Work& right)
{
  return work.matrix > right.matrix || work.predicate > right.predicate;
}

/// One case under one schedule. `bits` are those of the schedules before, empty before the first.
TrialResult try_case(Bench& bench, const TrialCase& c, const ExecutionOptions& schedule, std::string& bits)
{
  bench.set_schedule(schedule, c);
  const Outcome outcome = run_case(bench, c);
  TrialResult result = judge(c, outcome);
  if (!result.found_by.empty()) return result;
  if (is_wasteful(outcome.work, c.work)) return {"work", c.judged.name + ": more tiles than are visible"};
  if (!c.has_promised_bits) return result;
  if (bits.empty()) bits = outcome.bits;
  if (outcome.bits != bits) return {"bits", fmt::format("{}: other bits with seed {}", c.judged.name, schedule.seed)};
  result.same_bits = bits == c.bits;
  return result;
}

TrialResult try_all(Bench& bench, const std::vector<TrialCase>& cases)
{
  std::vector<std::string> bits(cases.size());
  TrialResult all;
  std::size_t count = cases.size();
  for (const ExecutionOptions& schedule : l2_schedules(kSeeds)) {
    for (std::size_t i = 0; i < count; ++i) {
      TrialResult result = try_case(bench, cases[i], schedule, bits[i]);
      if (!result.found_by.empty()) return result;
      all.same_bits &= result.same_bits;
    }
    count = std::min(count, kScheduledCases);
  }
  return all;
}

}  // namespace

std::vector<ExecutionOptions> l2_schedules(int seeds)
{
  std::vector<ExecutionOptions> schedules;
  for (int seed = 0; seed < seeds; ++seed)
    for (AsyncPolicy async : {AsyncPolicy::at_wait, AsyncPolicy::at_issue}) {
      ExecutionOptions options;
      options.seed = static_cast<std::uint64_t>(seed);
      options.resident_blocks = 1 + static_cast<std::uint32_t>(seed) % 3;
      options.async = async;
      schedules.push_back(options);
    }
  return schedules;
}

TrialCase prepare_case(kernels::JudgedCase judged, const kernels::LaunchOptions& options, bool is_backward,
                       const KernelLibrary& library)
{
  TrialCase c{std::move(judged), options, is_backward, {}, {}, true, {}};
  c.has_promised_bits = !is_backward || options.deterministic || options.family == kernels::Family::naive;
  Bench bench(library, {});
  bench.set_schedule({}, c);
  Complaints complaints;
  c.forward = bench.host().forward(call_of(c.judged), options, complaints);
  const Outcome outcome = run_case(bench, c);
  if (const TrialResult result = judge(c, outcome); !complaints.empty() || !result.found_by.empty())
    throw Error("the kernels as they are fail: " + result.found_by + " " + result.detail);
  c.bits = outcome.bits;
  c.work = outcome.work;
  return c;
}

TrialResult try_kernels(const KernelLibrary& library, const std::vector<TrialCase>& cases,
                        const attention::HostOptions& host_options)
{
  try {
    Bench bench(library, host_options);
    return try_all(bench, cases);
  } catch (const Error& error) {
    return {"refused", error.what()};
  }
}

bool is_trapping(const KernelLibrary& library, const std::vector<TrialCase>& cases)
{
  Bench bench(library, {});
  for (const TrialCase& c : cases) {
    bench.set_schedule({}, c);
    for (const attention::Complaint& complaint : run_case(bench, c).complaints)
      if (complaint.check == Check::trap) return true;
  }
  return false;
}

}  // namespace flashgate::gpu::mutation
