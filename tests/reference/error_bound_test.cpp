#include "reference/error_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "reference/half.h"
#include "reference/lse_merge.h"
#include "reference/mask_expand.h"
#include "tests/reference/numerics_case.h"

namespace flashgate::reference {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kDrawnProblems = 500;  // what sanitizers look for shows in the first few; they make each 20 times slower
#else
constexpr int kDrawnProblems = 10000;
#endif
/// The worst of all problems comes at least this near to its bound. LSE is looser: its bound is a worst case over a
/// hundred fp32 roundings that mostly cancel.
constexpr double kUsefulShare = 1.0 / 8;
constexpr double kUsefulShareOfLse = 1.0 / 32;

/// Largest bound_ratio so far, per dtype and tensor.
using Worst = std::array<std::array<double, kTensorNames.size()>, 2>;

std::string table(const Worst& worst)
{
  std::ostringstream text;
  for (const Dtype dtype : {Dtype::bf16, Dtype::fp16}) {
    text << name(dtype) << ":";
    for (std::size_t n = 0; n < kTensorNames.size(); ++n) {
      text << ' ' << kTensorNames[n] << ' ' << worst[static_cast<std::size_t>(dtype)][n];
    }
    text << "  ";
  }
  return text.str();
}

/// `length` rows of the only head, from `first` on.
Tensor<double> rows_of(const Tensor<double>& tensor, int first, int length)
{
  Tensor<double> rows(1, 1, length, tensor.dim());
  rows.head(0, 0) = tensor.head(0, 0).middleRows(first, length);
  return rows;
}

}  // namespace

TEST_CASE("a correctly rounded run never exceeds its bound, over 10,000 drawn problems")
{
  Draw draw(2024);
  Worst worst{};
  for (int n = 0; n < kDrawnProblems; ++n) {
    const NumericsCase c = draw_numerics_case(draw);
    const auto ratios = bound_ratios(c, run_rounded(c), expect(c));
    auto& row = worst[static_cast<std::size_t>(c.problem.dtype)];
    for (std::size_t t = 0; t < ratios.size(); ++t) {
      row[t] = std::max(row[t], ratios[t]);
      CHECK_MESSAGE(ratios[t] <= 1, "problem ", n, " ", kTensorNames[t], " ", fill_row(c.fill).name, " ratio ",
                    ratios[t]);
    }
  }
  MESSAGE("worst bound_ratio  ", table(worst));
  // A bound that nothing comes near would catch nothing either.
  for (const auto& row : worst) {
    for (std::size_t t = 0; t < row.size(); ++t) {
      CHECK(row[t] > (kTensorNames[t] == "lse" ? kUsefulShareOfLse : kUsefulShare));
    }
  }
}

TEST_CASE("bounds are zero exactly where results are exact")
{
  // Rows 0 and 1 see no key, and with zero scores K contributes nothing to dQ.
  const Problem problem{.seqlen_q = 4, .seqlen_k = 2, .head_dim = 8, .head_dim_v = 8, .causal = Causal::bottom_right};
  NumericsCase c{problem, Fill::zero_scores, {}, fill_inputs(Fill::zero_scores, problem, {}, 1), {}};
  const Expected expected = expect(c);
  for (int i = 0; i < 4; ++i) {
    CHECK((expected.bounds[0](0, 0, i, 0) == 0) == (i < 2));
    CHECK((expected.bounds[1](0, 0, i, 0) == 0) == (i < 2));
    CHECK(expected.bounds[2](0, 0, i, 0) == 0);
  }
}

TEST_CASE("bounds do not depend on the number of threads")
{
  Draw draw(5);
  const NumericsCase c = draw_numerics_case(draw);
  const AttentionOutputs outputs = attention_forward(c.problem, c.mask, c.inputs);
  const ForwardBound one = forward_error_bound(c.problem, c.mask, c.inputs, outputs, {.threads = 1});
  const ForwardBound many = forward_error_bound(c.problem, c.mask, c.inputs, outputs, {.threads = 3});
  CHECK(std::equal(one.o.begin(), one.o.end(), many.o.begin()));
}

TEST_CASE("one more partial rounding widens the bounds of dK and dV and of nothing else")
{
  const Problem problem{.num_heads = 2, .seqlen_q = 5, .seqlen_k = 5, .head_dim = 8, .head_dim_v = 8};
  NumericsCase c{problem, Fill::uniform, {}, fill_inputs(Fill::uniform, problem, {}, 1), {}};
  const Expected plain = expect(c);
  c.rounding.round_each_head = true;
  const Expected wide = expect(c);
  for (const std::size_t t : {0U, 1U, 2U})
    CHECK(plain.bounds[t](0, 0, 1, 0) == wide.bounds[t](0, 0, 1, 0));
  for (const std::size_t t : {3U, 4U})
    CHECK(plain.bounds[t](0, 0, 1, 0) < wide.bounds[t](0, 0, 1, 0));
}

TEST_CASE("keys that come in parts, each rounded and then merged, stay within the bound for parts")
{
  constexpr int kParts = 3;
  constexpr int kPartLength = 20;
  for (const Dtype dtype : {Dtype::bf16, Dtype::fp16}) {
    for (const Fill fill : {Fill::uniform, Fill::large_range, Fill::sign_alternating}) {
      Problem problem{
          .seqlen_q = 30, .seqlen_k = kParts * kPartLength, .head_dim = 16, .head_dim_v = 8, .dtype = dtype};
      problem.softmax_scale = default_softmax_scale(problem.head_dim);
      const AttentionInputs inputs = fill_inputs(fill, problem, {}, 12);
      const AttentionOutputs whole = attention_forward(problem, {}, inputs);
      const AttentionGradients gradients = attention_backward(problem, {}, inputs, whole);
      const BoundOptions options{.key_parts = kParts};
      const ForwardBound forward = forward_error_bound(problem, {}, inputs, whole, options);
      const BackwardBound backward = backward_error_bound(problem, {}, inputs, whole, gradients, forward, options);

      Problem part = problem;
      part.seqlen_k = kPartLength;
      std::vector<AttentionInputs> parts;
      AttentionOutputs merged{Tensor<double>(1, 1, 30, 8), Tensor<double>(1, 1, 30, 1, -INFINITY)};
      for (int n = 0; n < kParts; ++n) {
        parts.push_back({inputs.q, rows_of(inputs.k, n * kPartLength, kPartLength),
                         rows_of(inputs.v, n * kPartLength, kPartLength), inputs.d_o});
        merge_partial(attention_forward_rounded(part, {}, parts.back()), merged);
      }
      for (double& value : merged.o)
        value = round_to(dtype, value);
      for (double& value : merged.lse)
        value = static_cast<float>(value);
      CHECK(compare(merged.o, whole.o, forward.o, format_of(dtype)).bound_ratio <= 1);
      CHECK(compare(merged.lse, whole.lse, forward.lse, Format::fp32).bound_ratio <= 1);

      Tensor<double> dq(1, 1, 30, 16);
      for (int n = 0; n < kParts; ++n) {
        const AttentionGradients step =
            attention_backward_rounded(part, {}, parts[static_cast<std::size_t>(n)], merged);
        dq.head(0, 0) += step.dq.head(0, 0);
      }
      for (double& value : dq)
        value = round_to(dtype, value);
      CHECK(compare(dq, gradients.dq, backward.dq, format_of(dtype)).bound_ratio <= 1);
    }
  }
}

}  // namespace flashgate::reference
