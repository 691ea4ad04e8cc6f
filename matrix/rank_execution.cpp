#include "matrix/rank_execution.h"

#include <utility>

#include "matrix/deadlock.h"
#include "sim/context_parallel/context_parallel_attention.h"

namespace flashgate::matrix {
namespace {

void run_on_ranks(const KernelCall& call, const DeviceAttention& attention, int cp_size, KernelOutputs& outputs)
{
  const sim::RankAttention ranks =
      sim::all_gather_attention({attention.forward, attention.backward}, call.problem.dtype);
  sim::ContextParallelOptions group;
  group.cp_size = cp_size;
  auto whole = sim::context_parallel_forward(call.problem, call.mask, call.inputs, ranks, group);
  if (whole.failure) throw_group_failure(*whole.failure);
  outputs.forward = std::move(whole.outputs);
  if (!is_backward(call.numerics)) return;
  auto gradients = sim::context_parallel_backward(call.problem, call.mask, call.inputs, outputs.forward, ranks, group);
  if (gradients.failure) throw_group_failure(*gradients.failure);
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
