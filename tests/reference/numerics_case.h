#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "reference/compare.h"
#include "reference/error_bound.h"
#include "reference/input_fill.h"
#include "tests/reference/drawn_problem.h"
#include "tests/reference/naive_attention.h"

namespace flashgate::reference {

/// One drawn numerics case and what the oracle says about it.
struct NumericsCase
{
  Problem problem;
  Fill fill = Fill::uniform;
  ColumnMask mask;
  AttentionInputs inputs;
  RoundedOptions rounding;
};

/// The tensors a comparison covers, in this order everywhere below.
constexpr std::array<std::string_view, 6> kTensorNames = {"o", "lse", "dq", "dk", "dv", "dsink"};
using SixTensors = std::array<Tensor<double>, kTensorNames.size()>;

/// Draws shapes, family, encoding, fill, dtype, scale, groups, sink and rounding options.
NumericsCase draw_numerics_case(Draw& draw);

/// The oracle's results and their bounds.
struct Expected
{
  SixTensors values;
  SixTensors bounds;
};
Expected expect(const NumericsCase& numerics_case);

/// What the rounded variant returns.
SixTensors run_rounded(const NumericsCase& numerics_case);

SixTensors as_tensors(const AttentionOutputs& outputs, const AttentionGradients& gradients);

/// bound_ratio per tensor.
std::array<double, kTensorNames.size()> bound_ratios(const NumericsCase& numerics_case, const SixTensors& actual,
                                                     const Expected& expected);

}  // namespace flashgate::reference
