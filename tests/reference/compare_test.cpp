#include "reference/compare.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "reference/attention_plain.h"
#include "reference/attention_rounded.h"
#include "reference/error.h"
#include "reference/input_fill.h"
#include "tests/reference/small_cells.h"

namespace flashgate::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double ratio(double actual, double expected, double bound)
{
  return compare(column_of({actual}), column_of({expected}), column_of({bound}), Format::bf16).bound_ratio;
}

/// Metrics of an expected tensor with itself.
TensorMetrics metrics_of(std::initializer_list<double> expected)
{
  const Tensor<double> tensor = column_of(expected);
  return compare(tensor, tensor, tensor, Format::fp32);
}

constexpr VisibleArea kAllVisible{.elements = 16, .tiles = 1, .total_tiles = 1, .masked_rows = 0, .total_rows = 4};
constexpr VisibleArea kHalfMasked{.elements = 8, .tiles = 1, .total_tiles = 1, .masked_rows = 2, .total_rows = 4};
constexpr VisibleArea kNothingVisible{.elements = 0, .tiles = 0, .total_tiles = 1, .masked_rows = 4, .total_rows = 4};

}  // namespace

TEST_CASE("the ratio of an element follows its rules")
{
  CHECK(ratio(1.5, 1.0, 1.0) == 0.5);
  CHECK(ratio(1.0, 1.0, 0.0) == 0);
  CHECK(ratio(1.0, 0.0, 0.0) == kInfinity);
  CHECK(ratio(kNan, 1.0, 1.0) == kInfinity);
  CHECK(ratio(1.0, kNan, kNan) == kInfinity);
  CHECK(ratio(kNan, kNan, kNan) == 0);
  CHECK(ratio(-kInfinity, -kInfinity, 0.0) == 0);
  CHECK(ratio(kInfinity, -kInfinity, 0.0) == kInfinity);
  CHECK(ratio(-5e4, -kInfinity, 0.0) == kInfinity);
}

TEST_CASE("metrics name the worst element and count what is wrong")
{
  Tensor<double> expected(1, 2, 2, 2, 1.0);
  Tensor<double> actual = expected;
  const Tensor<double> bound(1, 2, 2, 2, 0.25);
  actual(0, 1, 0, 1) = 2.0;
  actual(0, 0, 1, 0) = 1.125;
  actual(0, 1, 1, 1) = kNan;
  expected(0, 0, 0, 0) = actual(0, 0, 0, 0) = 0;
  const TensorMetrics with_nan = compare(actual, expected, bound, Format::bf16);
  CHECK(with_nan.bound_ratio == kInfinity);
  CHECK(with_nan.nonfinite_count == 1);
  CHECK(with_nan.failures == 2);
  actual(0, 1, 1, 1) = 1.0;
  const TensorMetrics metrics = compare(actual, expected, bound, Format::bf16);
  CHECK(metrics.elements == 8);
  CHECK(metrics.max_abs_err == 1.0);
  CHECK(metrics.max_rel_err == 1.0);
  CHECK(metrics.bound_ratio == 4.0);
  CHECK(metrics.failures == 1);
  CHECK(metrics.worst.h == 1);
  CHECK(metrics.worst.s == 0);
  CHECK(metrics.worst.d == 1);
  CHECK(metrics.worst_actual == 2.0);
  CHECK(metrics.worst_bound == 0.25);
  CHECK(metrics.zero_share == 0.125);
}

TEST_CASE("the ULP histogram counts in the format of the tensor")
{
  const double bf16_step = 0x1p-7;
  const Tensor<double> expected = column_of({1, 1, 1, 1, 1, 1, -kInfinity});
  const Tensor<double> actual =
      column_of({1, 1 + bf16_step, 1 + 2 * bf16_step, 1 + 3 * bf16_step, 2, kNan, -kInfinity});
  const Tensor<double> bound(1, 1, 7, 1, 1.0);
  const UlpHistogram bf16 = compare(actual, expected, bound, Format::bf16).ulp_histogram;
  CHECK(bf16 == UlpHistogram{2, 1, 1, 1, 0, 0, 0, 1, 0, 1});
  const UlpHistogram fp32 =
      compare(column_of({1 + 0x1p-23}), column_of({1}), column_of({1}), Format::fp32).ulp_histogram;
  CHECK(fp32[1] == 1);
}

TEST_CASE("rows of padding in the kernel's tensor are not looked at, other shapes are refused")
{
  const Tensor<double> bound = column_of({0});
  CHECK(compare(column_of({1, kNan}), column_of({1}), bound, Format::bf16).bound_ratio == 0);
  CHECK_THROWS_AS(compare(Tensor<double>(1, 2, 1, 1), column_of({1}), bound, Format::bf16), Error);
  CHECK_THROWS_AS(compare(Tensor<double>(1, 1, 0, 1), column_of({1}), bound, Format::bf16), Error);
}

TEST_CASE("data that could not have shown a fault is mistrusted, with the reason")
{
  CHECK_FALSE(judge("o", metrics_of({1, 2, 0, 3}), kAllVisible).mistrusted);
  CHECK(judge("o", metrics_of({1, 0, 0, 0}), kAllVisible).reason ==
        "o: 75 % of the elements that could differ are zero");
  CHECK_FALSE(judge("o", metrics_of({1, 2, 0, 0}), kHalfMasked).mistrusted);
  CHECK(judge("dq", metrics_of({0, 0, 0, 0}), kHalfMasked).mistrusted);
  CHECK(judge("dv", metrics_of({1, 0, 0, 0}), kHalfMasked).mistrusted);
  CHECK(judge("o", metrics_of({1, 1, 1, 1}), kNothingVisible).reason == "o: every element is masked");
  CHECK(judge("o", metrics_of({1, 2, kNan, 3}), kAllVisible).reason == "o: 1 elements of the oracle are not finite");
  CHECK_FALSE(judge("lse", metrics_of({1, 0, -kInfinity, -kInfinity}), kHalfMasked).mistrusted);
  CHECK(judge("lse", metrics_of({1, 0, -kInfinity, -kInfinity}), kAllVisible).mistrusted);
}

TEST_CASE("the field's rule accepts a kernel that rounds like one and refuses one that is off")
{
  for (const Dtype dtype : {Dtype::bf16, Dtype::fp16}) {
    Problem problem{
        .num_heads = 4, .num_heads_kv = 2, .seqlen_q = 90, .seqlen_k = 130, .head_dim = 64, .head_dim_v = 32};
    problem.softmax_scale = default_softmax_scale(64);
    problem.causal = Causal::bottom_right;
    problem.dtype = dtype;
    const AttentionInputs inputs = fill_inputs(Fill::uniform, problem, {}, 3);
    const AttentionOutputs expected = attention_forward(problem, {}, inputs);
    const AttentionGradients gradients = attention_backward(problem, {}, inputs, expected);
    const AttentionOutputs rounded = attention_forward_rounded(problem, {}, inputs);
    const AttentionGradients rounded_gradients = attention_backward_rounded(problem, {}, inputs, rounded);
    const PlainResult plain = attention_plain(problem, {}, inputs, {}, true);
    CHECK(field_rule(rounded.o, plain.o, expected.o, dtype).ratio <= 1);
    CHECK(field_rule(rounded_gradients.dq, plain.gradients.dq, gradients.dq, dtype).ratio <= 1);
    CHECK(field_rule(rounded_gradients.dk, plain.gradients.dk, gradients.dk, dtype).ratio <= 1);
    CHECK(field_rule(rounded_gradients.dv, plain.gradients.dv, gradients.dv, dtype).ratio <= 1);
    Tensor<double> off = rounded.o;
    for (double& value : off)
      value *= 1.25;
    CHECK(field_rule(off, plain.o, expected.o, dtype).ratio > 1);
  }
}

}  // namespace flashgate::reference
