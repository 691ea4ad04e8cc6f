#include "tests/reference/numerics_case.h"

namespace flashgate::reference {

NumericsCase draw_numerics_case(Draw& draw)
{
  NumericsCase c;
  const auto& row = families()[static_cast<std::size_t>(draw.integer(0, static_cast<int>(families().size()) - 1))];
  const int encodings = static_cast<int>(row.encodings.size());
  const Encoding encoding = row.encodings[static_cast<std::size_t>(draw.integer(0, encodings - 1))];
  c.problem = draw.mask_problem(encoding.causal);
  if (draw.integer(0, 7) != 0) c.problem.batch = 1;
  c.problem.head_dim = draw.one_of({1, 8, 16, 33});
  c.problem.head_dim_v = draw.one_of({c.problem.head_dim, 8, 32});
  c.problem.dtype = draw.coin() ? Dtype::bf16 : Dtype::fp16;
  c.problem.softmax_scale = draw.one_of({default_softmax_scale(c.problem.head_dim), 0.25, 1.0});
  c.mask = make_mask(draw.spec(row.family, encoding, c.problem), c.problem);
  c.fill = fills()[static_cast<std::size_t>(draw.integer(0, static_cast<int>(fills().size()) - 1))].fill;
  c.inputs = fill_inputs(c.fill, c.problem, c.mask, draw.seed());
  if (draw.integer(0, 3) == 0) c.inputs.sink = fill_sink(c.problem, draw.seed());
  c.rounding.round_each_head = draw.coin();
  c.rounding.key_tile = draw.one_of({32, 64, 128});
  return c;
}

SixTensors as_tensors(const AttentionOutputs& outputs, const AttentionGradients& gradients)
{
  return {outputs.o, outputs.lse, gradients.dq, gradients.dk, gradients.dv, as_tensor(gradients.dsink)};
}

Expected expect(const NumericsCase& c)
{
  const AttentionOutputs outputs = attention_forward(c.problem, c.mask, c.inputs);
  const AttentionGradients gradients = attention_backward(c.problem, c.mask, c.inputs, outputs);
  const BoundOptions options{.partial_roundings = c.rounding.round_each_head ? 1 : 0};
  const ForwardBound forward = forward_error_bound(c.problem, c.mask, c.inputs, outputs, options);
  const BackwardBound backward =
      backward_error_bound(c.problem, c.mask, c.inputs, outputs, gradients, forward, options);
  return {as_tensors(outputs, gradients),
          {forward.o, forward.lse, backward.dq, backward.dk, backward.dv, as_tensor(backward.dsink)}};
}

SixTensors run_rounded(const NumericsCase& c)
{
  const AttentionOutputs outputs = attention_forward_rounded(c.problem, c.mask, c.inputs, c.rounding);
  return as_tensors(outputs, attention_backward_rounded(c.problem, c.mask, c.inputs, outputs, c.rounding));
}

std::array<double, kTensorNames.size()> bound_ratios(const NumericsCase& c, const SixTensors& actual,
                                                     const Expected& expected)
{
  std::array<double, kTensorNames.size()> ratios{};
  for (std::size_t n = 0; n < ratios.size(); ++n) {
    const Format format = kTensorNames[n] == "lse" ? Format::fp32 : format_of(c.problem.dtype);
    ratios[n] = compare(actual[n], expected.values[n], expected.bounds[n], format).bound_ratio;
  }
  return ratios;
}

}  // namespace flashgate::reference
