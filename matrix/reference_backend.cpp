#include "matrix/reference_backend.h"

#include <fmt/format.h>

#include "matrix/backend_factory.h"
#include "matrix/rank_execution.h"
#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

using reference::AttentionInputs;
using reference::AttentionOutputs;
using reference::ColumnMask;
using reference::Problem;

}  // namespace

reference::RoundedOptions rounding_of(const NumericsCase& numerics)
{
  return reference::rounded_options(number_of(numerics, NumericsAxisId::kernel));
}

void run_rounded(const KernelCall& call, const reference::RoundedOptions& options, KernelOutputs& outputs)
{
  const auto forward = [&](const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs) {
    return attention_forward_rounded(problem, mask, inputs, options);
  };
  const auto backward = [&](const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                            const AttentionOutputs& of_forward) {
    return attention_backward_rounded(problem, mask, inputs, of_forward, options);
  };
  run_attention(call, {forward, backward}, outputs);
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
