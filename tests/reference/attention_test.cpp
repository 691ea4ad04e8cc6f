#include "reference/attention.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <sys/resource.h>

#include "reference/input_fill.h"
#include "reference/mask_expand.h"
#include "tests/reference/drawn_problem.h"
#include "tests/reference/naive_attention.h"
#include "tests/reference/small_cells.h"

namespace flashgate::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Largest |a - b| / (1 + |b|); infinite where one is NaN or infinite and the other is not the same.
double distance(const Tensor<double>& a, const Tensor<double>& b)
{
  double largest = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    const double x = a.data()[n];
    const double y = b.data()[n];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double d = std::fabs(x - y) / (1.0 + std::fabs(y));
    largest = std::max(largest, std::isfinite(d) ? d : kInfinity);
  }
  return largest;
}

/// Both sides are double and differ in order only: n operations of relative error 2^-53 on values near 1.
double rounding_allowance(const Problem& p)
{
  return 0x1p-53 * 64.0 * (p.seqlen_q * group_size(p) + p.seqlen_k + p.head_dim + p.head_dim_v);
}

struct DrawnCase
{
  Problem problem;
  FamilySpec spec;
  ColumnMask mask;
  AttentionInputs inputs;
};

DrawnCase drawn_case(Draw& draw)
{
  DrawnCase c;
  const auto& row = families()[static_cast<std::size_t>(draw.integer(0, static_cast<int>(families().size()) - 1))];
  const Encoding encoding =
      row.encodings[static_cast<std::size_t>(draw.integer(0, static_cast<int>(row.encodings.size()) - 1))];
  c.problem = draw.mask_problem(encoding.causal);
  c.problem.head_dim = draw.integer(1, 24);
  c.problem.head_dim_v = draw.integer(1, 24);
  c.problem.softmax_scale = draw.one_of({0.125, 0.5, 1.0});
  c.spec = draw.spec(row.family, encoding, c.problem);
  c.mask = make_mask(c.spec, c.problem);
  const auto& fill = fills()[static_cast<std::size_t>(draw.integer(0, static_cast<int>(fills().size()) - 1))];
  c.inputs = fill_inputs(fill.fill, c.problem, c.mask, draw.seed());
  if (draw.coin()) c.inputs.sink = fill_sink(c.problem, draw.seed());
  return c;
}

bool close(const Problem& problem, const AttentionGradients& a, const AttentionGradients& b)
{
  const double allowance = rounding_allowance(problem);
  for (std::size_t h = 0; h < a.dsink.size(); ++h) {
    if (!(std::fabs(a.dsink[h] - b.dsink[h]) <= allowance * (1 + std::fabs(b.dsink[h])))) return false;
  }
  return distance(a.dq, b.dq) <= allowance && distance(a.dk, b.dk) <= allowance && distance(a.dv, b.dv) <= allowance;
}

}  // namespace

TEST_CASE("the tiled oracle equals the formulas written out, over drawn problems, masks and fills")
{
  CHECK(rc::check("tiled equals naive", [] {
    Draw draw(*rc::gen::arbitrary<std::uint64_t>());
    const DrawnCase c = drawn_case(draw);
    const Sees sees = [&](int b, int h, int i, int j) { return !masked(c.problem, {c.mask}, b, h, i, j); };
    const NaiveResult expected = naive_attention(c.problem, sees, c.inputs);
    const AttentionOutputs outputs = attention_forward(c.problem, c.mask, c.inputs);
    RC_ASSERT(distance(outputs.o, expected.outputs.o) <= rounding_allowance(c.problem));
    RC_ASSERT(distance(outputs.lse, expected.outputs.lse) <= rounding_allowance(c.problem));
    RC_ASSERT(close(c.problem, attention_backward(c.problem, c.mask, c.inputs, outputs), expected.gradients));
  }));
}

TEST_CASE("a causal 4 x 4 worked by hand")
{
  // Scores log of small integers make P a fraction: q = 1, k = log(1, 2, 3, 4), so row i weighs keys 1..i+1 by
  // themselves.
  const Problem problem = small_problem(4, 4, Causal::bottom_right);
  AttentionInputs inputs{column_of({1, 1, 1, 1}), column_of({0, std::log(2), std::log(3), std::log(4)}),
                         column_of({1, 2, 3, 4}), column_of({1, 1, 1, 1})};
  const AttentionOutputs outputs = attention_forward(problem, {}, inputs);
  const double o[] = {1, 5.0 / 3, 14.0 / 6, 3};
  const double sums[] = {1, 3, 6, 10};
  for (int i = 0; i < 4; ++i) {
    CHECK(outputs.o(0, 0, i, 0) == doctest::Approx(o[i]).epsilon(1e-14));
    CHECK(outputs.lse(0, 0, i, 0) == doctest::Approx(std::log(sums[i])).epsilon(1e-14));
  }
  // dV_j = (j+1) * sum over rows i >= j of 1/sum_i; dK_j = sum_i P_ij (v_j - o_i); dQ_i = sum_j P_ij (v_j - o_i) k_j.
  const AttentionGradients gradients = attention_backward(problem, {}, inputs, outputs);
  const double tails[] = {1.0 + 1.0 / 3 + 1.0 / 6 + 0.1, 1.0 / 3 + 1.0 / 6 + 0.1, 1.0 / 6 + 0.1, 0.1};
  for (int j = 0; j < 4; ++j) {
    double dk = 0;
    double dq = 0;
    for (int i = j; i < 4; ++i)
      dk += (j + 1) / sums[i] * (j + 1 - o[i]);
    for (int n = 0; n <= j; ++n)
      dq += (n + 1) / sums[j] * (n + 1 - o[j]) * std::log(n + 1);
    CHECK(gradients.dv(0, 0, j, 0) == doctest::Approx((j + 1) * tails[j]).epsilon(1e-13));
    CHECK(gradients.dk(0, 0, j, 0) == doctest::Approx(dk).epsilon(1e-13));
    CHECK(gradients.dq(0, 0, j, 0) == doctest::Approx(dq).epsilon(1e-13));
  }
}

TEST_CASE("a 4 x 4 with every column different, worked by hand")
{
  // Non-causal quads; zero scores, so O is the mean of what is visible.
  //   key 0: rows [1, 3) masked   key 1: rows [0, 1) and [3, 4)   key 2: all rows   key 3: none
  const Problem problem = small_problem(4, 4);
  const ColumnMask mask{1, 1, 4, 4, {1, 3, 0, 0, 3, 4, 0, 1, 0, 2, 2, 9, 4, 4, 0, 0}};
  AttentionInputs inputs{column_of({0, 0, 0, 0}), column_of({0, 0, 0, 0}), column_of({1, 2, 4, 8}),
                         column_of({1, 1, 1, 1})};
  const AttentionOutputs outputs = attention_forward(problem, mask, inputs);
  const double o[] = {4.5, 5, 5, 4.5};
  for (int i = 0; i < 4; ++i) {
    CHECK(outputs.o(0, 0, i, 0) == o[i]);
    CHECK(outputs.lse(0, 0, i, 0) == doctest::Approx(std::log(2)).epsilon(1e-15));
  }
  const AttentionGradients gradients = attention_backward(problem, mask, inputs, outputs);
  const double dv[] = {1, 1, 0, 2};
  for (int j = 0; j < 4; ++j)
    CHECK(gradients.dv(0, 0, j, 0) == doctest::Approx(dv[j]).epsilon(1e-15));
}

TEST_CASE("a sink takes its share, and is all there is in a fully masked row")
{
  const Problem problem = small_problem(2, 1, Causal::bottom_right);
  AttentionInputs inputs{column_of({0, 0}), column_of({0}), column_of({6}), column_of({1, 1}), {std::log(2.0)}};
  const AttentionOutputs outputs = attention_forward(problem, {}, inputs);
  CHECK(outputs.o(0, 0, 0, 0) == 0);
  CHECK(outputs.lse(0, 0, 0, 0) == std::log(2.0));
  CHECK(outputs.o(0, 0, 1, 0) == doctest::Approx(2).epsilon(1e-15));
  CHECK(outputs.lse(0, 0, 1, 0) == doctest::Approx(std::log(3.0)).epsilon(1e-15));
  // delta = 2 in row 1, where the sink holds 2/3; row 0 has delta 0.
  const AttentionGradients gradients = attention_backward(problem, {}, inputs, outputs);
  CHECK(gradients.dsink.at(0) == doctest::Approx(-4.0 / 3).epsilon(1e-14));
  CHECK(gradients.dv(0, 0, 0, 0) == doctest::Approx(1.0 / 3).epsilon(1e-14));
}

TEST_CASE("the result does not depend on the number of threads")
{
  Draw draw(11);
  for (int n = 0; n < 10; ++n) {
    const DrawnCase c = drawn_case(draw);
    const AttentionOutputs one = attention_forward(c.problem, c.mask, c.inputs, {.threads = 1});
    const AttentionOutputs many = attention_forward(c.problem, c.mask, c.inputs, {.threads = 3});
    CHECK(distance(one.o, many.o) == 0);
    const AttentionGradients a = attention_backward(c.problem, c.mask, c.inputs, one, {.threads = 1});
    const AttentionGradients b = attention_backward(c.problem, c.mask, c.inputs, one, {.threads = 3});
    CHECK(distance(a.dk, b.dk) == 0);
    CHECK(distance(a.dv, b.dv) == 0);
    CHECK(distance(a.dq, b.dq) == 0);
  }
}

TEST_CASE("a block mask of ones gives the same bits as none, and dropped blocks are not seen")
{
  const Problem problem{.seqlen_q = 150, .seqlen_k = 200, .head_dim = 128, .head_dim_v = 16, .softmax_scale = 0.1};
  ColumnMask mask = make_column_mask(1, 1, 200, 2);
  for (int j = 0; j < 200; ++j)
    mask.bound(0, 0, j, 0) = 150;
  const AttentionInputs inputs = fill_inputs(Fill::uniform, problem, mask, 3);
  BlockMask blocks = make_block_mask(1, 1, 150, 200);
  const AttentionOutputs plain = attention_forward(problem, mask, inputs);
  CHECK(distance(attention_forward(problem, mask, inputs, {.block_mask = &blocks}).o, plain.o) == 0);
  blocks.keep[2] = 0;  // rows 128.., columns ..127
  const Sees sees = [](int, int, int i, int j) { return i < 128 || j >= 128; };
  const NaiveResult expected = naive_attention(problem, sees, inputs);
  const AttentionOutputs dropped = attention_forward(problem, mask, inputs, {.block_mask = &blocks});
  CHECK(distance(dropped.o, expected.outputs.o) <= rounding_allowance(problem));
  const AttentionGradients gradients = attention_backward(problem, mask, inputs, dropped, {.block_mask = &blocks});
  CHECK(distance(gradients.dk, expected.gradients.dk) <= rounding_allowance(problem));
}

TEST_CASE("memory grows with the lengths, not with their product")
{
  // One seqlen x seqlen matrix of doubles would be 2 GiB; forward and backward together stay below a sixteenth of it.
  const int seqlen = 16384;
  const auto peak_bytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
  };
  const Problem problem{
      .seqlen_q = seqlen, .seqlen_k = seqlen, .head_dim = 8, .head_dim_v = 8, .causal = Causal::top_left};
  const FamilySpec window{.family = Family::sliding_window, .encoding = {true, 1}, .window_left = 64};
  const ColumnMask mask = make_mask(window, problem);
  const double before = peak_bytes();
  const AttentionInputs inputs = fill_inputs(Fill::uniform, problem, mask, 1);
  const AttentionOutputs outputs = attention_forward(problem, mask, inputs);
  attention_backward(problem, mask, inputs, outputs);
  CHECK(peak_bytes() - before < 8.0 * seqlen * seqlen / 16);
}

}  // namespace flashgate::reference
