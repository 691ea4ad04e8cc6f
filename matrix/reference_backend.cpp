#include "matrix/reference_backend.h"

#include <optional>

#include <fmt/format.h>

#include "matrix/backend_factory.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "sim/context_parallel/context_parallel_attention.h"

namespace flashgate::matrix {
namespace {

using reference::AttentionGradients;
using reference::AttentionInputs;
using reference::AttentionOutputs;
using reference::ColumnMask;
using reference::Problem;

void run_on_ranks(const KernelCall& call, const reference::RoundedOptions& options, int cp_size, KernelOutputs& outputs)
{
  const auto forward = [&](const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs) {
    return attention_forward_rounded(problem, mask, inputs, options);
  };
  const auto backward = [&](const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                            const AttentionOutputs& of_forward) {
    return attention_backward_rounded(problem, mask, inputs, of_forward, options);
  };
  const sim::RankAttention ranks = sim::all_gather_attention({forward, backward}, call.problem.dtype);
  sim::ContextParallelOptions group;
  group.cp_size = cp_size;
  auto whole = sim::context_parallel_forward(call.problem, call.mask, call.inputs, ranks, group);
  if (whole.failure) throw Error(sim::describe(*whole.failure));
  outputs.forward = std::move(whole.outputs);
  if (!is_backward(call.numerics)) return;
  auto gradients = sim::context_parallel_backward(call.problem, call.mask, call.inputs, outputs.forward, ranks, group);
  if (gradients.failure) throw Error(sim::describe(*gradients.failure));
  outputs.backward = std::move(gradients.gradients);
}

}  // namespace

reference::RoundedOptions rounding_of(const NumericsCase& numerics)
{
  return reference::rounded_options(number_of(numerics, NumericsAxisId::kernel));
}

void run_rounded(const KernelCall& call, const reference::RoundedOptions& options, KernelOutputs& outputs)
{
  const int cp_size = number_of(call.numerics, NumericsAxisId::cp_size);
  if (cp_size > 1) return run_on_ranks(call, options, cp_size, outputs);
  outputs.forward = attention_forward_rounded(call.problem, call.mask, call.inputs, options);
  if (is_backward(call.numerics))
    outputs.backward = attention_backward_rounded(call.problem, call.mask, call.inputs, outputs.forward, options);
}

void ReferenceBackend::run(const KernelCall& call, KernelOutputs& outputs) const
{
  run_rounded(call, rounding_of(call.numerics), outputs);
}

std::unique_ptr<Backend> make_reference_backend(const BackendRequest& request)
{
  auto backend = std::make_unique<ReferenceBackend>();
  if (!request.name.empty() && request.name != backend->name())
    throw Error(fmt::format("no backend '{}', expected {}", printable(request.name), backend->name()));
  if (!request.evidence.empty())
    throw Error(fmt::format("backend {} has evidence {}, not {}: it runs no kernel", backend->name(),
                            backend->evidence(), printable(request.evidence)));
  return backend;
}

}  // namespace flashgate::matrix
