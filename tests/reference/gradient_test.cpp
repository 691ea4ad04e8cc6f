#include <cmath>

#include <doctest/doctest.h>

#include "reference/attention.h"
#include "reference/input_fill.h"
#include "tests/reference/drawn_problem.h"

namespace flashgate::reference {
namespace {

/// The scalar whose gradients backward returns: sum dO O.
double loss(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs)
{
  const AttentionOutputs outputs = attention_forward(problem, mask, inputs);
  double sum = 0;
  for (std::size_t n = 0; n < outputs.o.size(); ++n)
    sum += inputs.d_o.data()[n] * outputs.o.data()[n];
  return sum;
}

/// Step of the central difference: its two errors, step^2 and 2^-52 / step, balance at the cube root of 2^-52.
constexpr double kStep = 0x1p-17;
/// What is left of them, with room for the curvature of the loss: 64 step^2.
constexpr double kDifferenceError = 64 * kStep * kStep;

double difference(const Problem& problem, const ColumnMask& mask, AttentionInputs& inputs, double& variable)
{
  const double value = variable;
  variable = value + kStep;
  const double above = loss(problem, mask, inputs);
  variable = value - kStep;
  const double below = loss(problem, mask, inputs);
  variable = value;
  return (above - below) / (2 * kStep);
}

/// Largest disagreement over some elements of one input and its gradient.
double worst(const Problem& problem, const ColumnMask& mask, AttentionInputs& inputs, Tensor<double>& variables,
             const Tensor<double>& gradient, Draw& draw)
{
  double largest = 0;
  for (int n = 0; n < 6; ++n) {
    const auto at = static_cast<std::size_t>(draw.integer(0, static_cast<int>(variables.size()) - 1));
    const double expected = difference(problem, mask, inputs, variables.data()[at]);
    largest = std::max(largest, std::fabs(gradient.data()[at] - expected) / (1 + std::fabs(expected)));
  }
  return largest;
}

}  // namespace

TEST_CASE("gradients are the derivatives of the forward, for every family, with groups, sinks and unequal dimensions")
{
  Draw draw(21);
  for (const FamilyRow& row : families()) {
    for (const Encoding& encoding : row.encodings) {
      CAPTURE(row.name);
      Problem problem = draw.mask_problem(encoding.causal);
      problem.head_dim = 5;
      problem.head_dim_v = 3;
      problem.softmax_scale = 0.4;
      const ColumnMask mask = make_mask(draw.spec(row.family, encoding, problem), problem);
      AttentionInputs inputs = fill_inputs(Fill::uniform, problem, mask, draw.seed());
      inputs.sink = fill_sink(problem, draw.seed());
      const AttentionOutputs outputs = attention_forward(problem, mask, inputs);
      const AttentionGradients gradients = attention_backward(problem, mask, inputs, outputs);
      CHECK(worst(problem, mask, inputs, inputs.q, gradients.dq, draw) < kDifferenceError);
      CHECK(worst(problem, mask, inputs, inputs.k, gradients.dk, draw) < kDifferenceError);
      CHECK(worst(problem, mask, inputs, inputs.v, gradients.dv, draw) < kDifferenceError);
      const double dsink = difference(problem, mask, inputs, inputs.sink[0]);
      CHECK(std::fabs(gradients.dsink[0] - dsink) < kDifferenceError * (1 + std::fabs(dsink)));
    }
  }
}

}  // namespace flashgate::reference
