#include "matrix/rank_execution.h"

#include <algorithm>
#include <utility>

#include "matrix/deadlock.h"
#include "sim/context_parallel/context_parallel_attention.h"

namespace flashgate::matrix {
namespace {

/// A rank that broke takes the others down with it: what is wrong is the rank, not the order of collectives.
bool broke(const sim::RankReport& rank)
{
  return rank.state == sim::RankState::threw || rank.state == sim::RankState::died;
}

/// Deadlock if ranks would wait for ever, Error if one of them threw or died.
[[noreturn]] void throw_failure(const sim::RankGroupFailure& failure)
{
  if (std::ranges::any_of(failure.ranks, broke)) throw Error(sim::describe(failure));
  throw Deadlock(failure.reason, sim::describe(failure));
}

void run_on_ranks(const KernelCall& call, const DeviceAttention& attention, int cp_size, KernelOutputs& outputs)
{
  const sim::RankAttention ranks =
      sim::all_gather_attention({attention.forward, attention.backward}, call.problem.dtype);
  sim::ContextParallelOptions group;
  group.cp_size = cp_size;
  auto whole = sim::context_parallel_forward(call.problem, call.mask, call.inputs, ranks, group);
  if (whole.failure) throw_failure(*whole.failure);
  outputs.forward = std::move(whole.outputs);
  if (!is_backward(call.numerics)) return;
  auto gradients = sim::context_parallel_backward(call.problem, call.mask, call.inputs, outputs.forward, ranks, group);
  if (gradients.failure) throw_failure(*gradients.failure);
  outputs.backward = std::move(gradients.gradients);
}

}  // namespace

void run_attention(const KernelCall& call, const DeviceAttention& attention, KernelOutputs& outputs)
{
  const int cp_size = number_of(call.numerics, NumericsAxisId::cp_size);
  if (cp_size > 1) return run_on_ranks(call, attention, cp_size, outputs);
  outputs.forward = attention.forward(call.problem, call.mask, call.inputs);
  if (is_backward(call.numerics))
    outputs.backward = attention.backward(call.problem, call.mask, call.inputs, outputs.forward);
}

}  // namespace flashgate::matrix
