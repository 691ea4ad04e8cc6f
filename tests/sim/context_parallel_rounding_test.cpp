#include <string>

#include <doctest/doctest.h>

#include "reference/attention_rounded.h"
#include "reference/compare.h"
#include "reference/error_bound.h"
#include "reference/mask_families.h"
#include "tests/sim/context_parallel_case.h"

namespace flashgate::sim {
namespace {

using namespace reference;

/// The rounded variant as local attention: a kernel of that flag version.
LocalAttention rounded_kernel(int flag_version)
{
  const RoundedOptions options = rounded_options(flag_version);
  return {[options](const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs) {
            return attention_forward_rounded(problem, mask, inputs, options);
          },
          [options](const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                    const AttentionOutputs& outputs) {
            return attention_backward_rounded(problem, mask, inputs, outputs, options);
          }};
}

struct RoundedRun
{
  AttentionOutputs outputs;
  AttentionGradients gradients;
};

RoundedRun run(const ParallelCase& c, const RankAttention& attention, const ContextParallelOptions& options)
{
  ContextParallelOutputs forward = context_parallel_forward(c.problem, c.mask, c.inputs, attention, options);
  REQUIRE_FALSE(forward.failure);
  ContextParallelGradients backward =
      context_parallel_backward(c.problem, c.mask, c.inputs, forward.outputs, attention, options);
  REQUIRE_FALSE(backward.failure);
  return {std::move(forward.outputs), std::move(backward.gradients)};
}

/// Largest bound_ratio over O, LSE and the gradients.
double worst_ratio(const ParallelCase& c, const RoundedRun& actual, const BoundOptions& options)
{
  const ForwardBound forward = forward_error_bound(c.problem, c.mask, c.inputs, c.outputs, options);
  const BackwardBound backward =
      backward_error_bound(c.problem, c.mask, c.inputs, c.outputs, c.gradients, forward, options);
  const Format format = format_of(c.problem.dtype);
  const double ratios[] = {
      compare(actual.outputs.o, c.outputs.o, forward.o, format).bound_ratio,
      compare(actual.outputs.lse, c.outputs.lse, forward.lse, Format::fp32).bound_ratio,
      compare(actual.gradients.dq, c.gradients.dq, backward.dq, format).bound_ratio,
      compare(actual.gradients.dk, c.gradients.dk, backward.dk, format).bound_ratio,
      compare(actual.gradients.dv, c.gradients.dv, backward.dv, format).bound_ratio,
  };
  return *std::max_element(std::begin(ratios), std::end(ratios));
}

ParallelCase rounded_case(Dtype dtype, int num_heads, int seqlen)
{
  Problem problem{.num_heads = num_heads, .seqlen_q = seqlen, .seqlen_k = seqlen, .head_dim = 16, .head_dim_v = 16};
  problem.softmax_scale = default_softmax_scale(problem.head_dim);
  problem.causal = Causal::bottom_right;
  problem.dtype = dtype;
  const FamilySpec spec = default_spec(Family::causal_document, {true, 1}, problem, 1, 1);
  return uniform_case(problem, make_mask(spec, problem), 3);
}

}  // namespace

TEST_CASE("rounded kernels with each rank's dK and dV rounded before the sum stay within the derived bound")
{
  for (const Dtype dtype : {Dtype::bf16, Dtype::fp16}) {
    for (const int flag_version : {2, 3}) {
      for (const int cp_size : {2, 4, 8}) {
        const ParallelCase c = rounded_case(dtype, 2, 96);
        const int roundings = flag_version == 2 ? 2 : 1;
        const BoundOptions bound{.partial_roundings = roundings, .partial_sums = cp_size};
        for (const RankLayout layout : {RankLayout::zigzag, RankLayout::contiguous}) {
          const RankAttention attention = all_gather_attention(rounded_kernel(flag_version), dtype);
          const double ratio = worst_ratio(c, run(c, attention, {cp_size, layout, {}}), bound);
          CHECK_MESSAGE(ratio <= 1, name(dtype), " v", flag_version, " on ", cp_size, " ranks, ", name(layout),
                        ": bound_ratio ", ratio);
        }
      }
    }
  }
}

TEST_CASE("a ring of rounded kernels stays within the bound for keys that come in parts")
{
  for (const Dtype dtype : {Dtype::bf16, Dtype::fp16}) {
    for (const int cp_size : {2, 4, 8}) {
      const ParallelCase c = rounded_case(dtype, 2, 96);
      const BoundOptions bound{.partial_roundings = 1, .partial_sums = cp_size, .key_parts = cp_size};
      const RankAttention attention = ring_attention(rounded_kernel(3), dtype);
      const double ratio = worst_ratio(c, run(c, attention, {cp_size, RankLayout::zigzag, {}}), bound);
      CHECK_MESSAGE(ratio <= 1, name(dtype), " on ", cp_size, " ranks: bound_ratio ", ratio);
    }
  }
}

TEST_CASE("rounding each rank's part before the sum costs bits that a sum in double keeps")
{
  const ParallelCase c = rounded_case(Dtype::bf16, 2, 96);
  const ContextParallelOptions options{8, RankLayout::zigzag, {}};
  const AttentionGradients kept =
      context_parallel_backward(c.problem, c.mask, c.inputs, c.outputs, all_gather_attention(oracle()), options)
          .gradients;
  const AttentionGradients rounded = context_parallel_backward(c.problem, c.mask, c.inputs, c.outputs,
                                                               all_gather_attention(oracle(), Dtype::bf16), options)
                                         .gradients;
  const Tensor<double> none(kept.dv.batch(), kept.dv.heads(), kept.dv.seq(), kept.dv.dim());
  CHECK(compare(rounded.dv, kept.dv, none, Format::bf16).ulp_histogram[0] <
        compare(kept.dv, kept.dv, none, Format::bf16).ulp_histogram[0]);
}

}  // namespace flashgate::sim
