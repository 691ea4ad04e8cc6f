#include "tests/gpu/kernels/judged_case.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reference/compare.h"
#include "reference/input_fill.h"

namespace flashgate::gpu::kernels {
namespace {

constexpr std::uint64_t kSeed = 7;

double ratio(const reference::Tensor<double>& actual, const reference::Tensor<double>& expected,
             const reference::Tensor<double>& bound, reference::Format format)
{
  return reference::compare(actual, expected, bound, format).bound_ratio;
}

}  // namespace

reference::Problem problem_of(const KernelCase& c)
{
  reference::Problem problem;
  problem.batch = c.batch;
  problem.num_heads = c.num_heads;
  problem.num_heads_kv = c.num_heads_kv;
  problem.seqlen_q = c.seqlen_q;
  problem.seqlen_k = c.seqlen_k;
  problem.head_dim = c.head_dim;
  problem.head_dim_v = c.head_dim_v;
  problem.softmax_scale = reference::default_softmax_scale(c.head_dim);
  problem.causal = c.encoding.causal ? c.corner : reference::Causal::none;
  problem.dtype = c.dtype;
  return problem;
}

JudgedCase judge_inputs(std::string name, const reference::Problem& problem, reference::ColumnMask mask,
                        reference::AttentionInputs inputs)
{
  JudgedCase judged;
  judged.name = std::move(name);
  judged.problem = problem;
  judged.mask = std::move(mask);
  judged.inputs = std::move(inputs);
  judged.outputs = attention_forward(judged.problem, judged.mask, judged.inputs);
  judged.gradients = attention_backward(judged.problem, judged.mask, judged.inputs, judged.outputs);
  judged.forward_bound = forward_error_bound(judged.problem, judged.mask, judged.inputs, judged.outputs);
  judged.backward_bound = backward_error_bound(judged.problem, judged.mask, judged.inputs, judged.outputs,
                                               judged.gradients, judged.forward_bound);
  return judged;
}

JudgedCase judge_problem(const std::string& name, const reference::Problem& problem, const reference::ColumnMask& mask)
{
  return judge_inputs(name, problem, mask, fill_inputs(reference::Fill::uniform, problem, mask, kSeed));
}

JudgedCase judge_case(const KernelCase& c)
{
  const reference::Problem problem = problem_of(c);
  const auto spec = default_spec(c.family, c.encoding, problem, c.mask_heads, kSeed);
  return judge_problem(
      fmt::format("{} {} bounds {} {}x{} d {}/{} heads {}/{} mask heads {} {}", reference::family_row(c.family).name,
                  c.encoding.causal ? "causal" : "full", c.encoding.bounds_per_column, c.seqlen_q, c.seqlen_k,
                  c.head_dim, c.head_dim_v, c.num_heads, c.num_heads_kv, c.mask_heads, reference::name(c.dtype)),
      problem, make_mask(spec, problem));
}

double forward_ratio(const JudgedCase& judged, const KernelResult& result)
{
  const reference::Format format = reference::format_of(judged.problem.dtype);
  return std::max(ratio(result.outputs.o, judged.outputs.o, judged.forward_bound.o, format),
                  ratio(result.outputs.lse, judged.outputs.lse, judged.forward_bound.lse, reference::Format::fp32));
}

double backward_ratio(const JudgedCase& judged, const KernelResult& result)
{
  const reference::Format format = reference::format_of(judged.problem.dtype);
  return std::max({forward_ratio(judged, result),
                   ratio(result.gradients.dq, judged.gradients.dq, judged.backward_bound.dq, format),
                   ratio(result.gradients.dk, judged.gradients.dk, judged.backward_bound.dk, format),
                   ratio(result.gradients.dv, judged.gradients.dv, judged.backward_bound.dv, format)});
}

}  // namespace flashgate::gpu::kernels
