// Public bug reports as small cells; the numbers are worked from the formulas, never taken from a kernel.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "reference/attention.h"
#include "reference/attention_rounded.h"
#include "reference/lse_merge.h"
#include "tests/reference/small_cells.h"

namespace flashgate::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const double kLn2 = std::log(2.0);
const double kLn3 = std::log(3.0);

/// Compares a one-dimensional result; infinities must be equal, the rest equal to double rounding.
void check_column(const Tensor<double>& actual, std::initializer_list<double> expected)
{
  int i = 0;
  for (const double value : expected) {
    if (std::isfinite(value)) {
      CHECK(actual(0, 0, i, 0) == doctest::Approx(value).epsilon(1e-14));
    } else {
      CHECK(actual(0, 0, i, 0) == value);
    }
    ++i;
  }
}

AttentionInputs zero_scores(int seqlen_q, const Tensor<double>& v)
{
  return {Tensor<double>(1, 1, seqlen_q, 1), Tensor<double>(1, 1, v.seq(), 1), v,
          Tensor<double>(1, 1, seqlen_q, 1, 1.0)};
}

AttentionOutputs partial(double o, double lse) { return {column_of({o}), column_of({lse})}; }

AttentionOutputs merged(AttentionOutputs a, const AttentionOutputs& b)
{
  merge_partial(b, a);
  return a;
}

}  // namespace

TEST_CASE("B13: a start row on the diagonal masks the diagonal")
{
  const Problem problem = small_problem(4, 4, Causal::bottom_right);
  const AttentionInputs inputs = zero_scores(4, column_of({0, 1, 2, 3}));
  const AttentionOutputs a = attention_forward(problem, starts({4, 1, 4, 4}), inputs);
  check_column(a.o, {0, 0, 1, 5.0 / 3});
  check_column(a.lse, {0, 0, kLn2, kLn3});
  const AttentionOutputs b = attention_forward(problem, starts({0, 4, 4, 4}), inputs);
  check_column(b.o, {0, 1, 1.5, 2});
  check_column(b.lse, {-kInfinity, 0, kLn2, kLn3});
}

TEST_CASE("B16: rows above the bottom-right diagonal have LSE = -inf and no gradient")
{
  const Problem problem = small_problem(4, 2, Causal::bottom_right);
  const AttentionInputs inputs = zero_scores(4, column_of({0, 1}));
  const AttentionOutputs outputs = attention_forward(problem, {}, inputs);
  check_column(outputs.o, {0, 0, 0, 0.5});
  check_column(outputs.lse, {-kInfinity, -kInfinity, 0, kLn2});
  const AttentionGradients gradients = attention_backward(problem, {}, inputs, outputs);
  check_column(gradients.dq, {0, 0, 0, 0});
  check_column(gradients.dv, {1.5, 0.5});
  check_column(gradients.dk, {0, 0});
}

TEST_CASE("B18: each key/value head is credited with the query heads of its block")
{
  Problem problem = small_problem(1, 1);
  problem.num_heads = 6;
  problem.num_heads_kv = 2;
  AttentionInputs inputs{Tensor<double>(1, 6, 1, 1), Tensor<double>(1, 2, 1, 1), Tensor<double>(1, 2, 1, 1),
                         Tensor<double>(1, 6, 1, 1)};
  for (int h = 0; h < 6; ++h)
    inputs.d_o(0, h, 0, 0) = std::ldexp(1.0, h);
  const AttentionGradients gradients = attention_backward(problem, {}, inputs, attention_forward(problem, {}, inputs));
  CHECK(gradients.dv(0, 0, 0, 0) == 7);
  CHECK(gradients.dv(0, 1, 0, 0) == 56);
  CHECK(gradients.dk(0, 0, 0, 0) == 0);
  CHECK(gradients.dk(0, 1, 0, 0) == 0);
}

TEST_CASE("B23: merging with an empty part gives the other part, and two empty parts stay empty")
{
  struct Row
  {
    double o1, lse1, o2, lse2, o, lse;
  };
  const Row table[] = {
      {0, -kInfinity, 0, -kInfinity, 0, -kInfinity},
      {0, -kInfinity, 3, kLn2, 3, kLn2},
      {1, 0, 3, kLn3, 2.5, std::log(4.0)},
      {1, 1000, 3, -1000, 1, 1000},
  };
  for (const Row& row : table) {
    for (const bool swapped : {false, true}) {
      const AttentionOutputs one = partial(row.o1, row.lse1);
      const AttentionOutputs two = partial(row.o2, row.lse2);
      const AttentionOutputs result = swapped ? merged(two, one) : merged(one, two);
      check_column(result.o, {row.o});
      check_column(result.lse, {row.lse});
    }
  }
  // The O of an empty part is not looked at.
  check_column(merged(partial(3, kLn2), partial(kNan, -kInfinity)).o, {3});
  check_column(merged(partial(kNan, -kInfinity), partial(3, kLn2)).o, {3});
  check_column(merged(partial(kNan, -kInfinity), partial(kNan, -kInfinity)).o, {0});
  const AttentionOutputs a = partial(1, 0), b = partial(3, kLn3), c = partial(5, kLn2);
  check_column(merged(merged(a, b), c).o, {20.0 / 6});
  check_column(merged(a, merged(b, c)).o, {20.0 / 6});
  check_column(merged(merged(c, partial(0, -kInfinity)), merged(b, a)).lse, {std::log(6.0)});
}

TEST_CASE("B36: NaN and infinity behind the length or at a masked key reach nothing; at a visible key they do")
{
  for (const double poison : {kNan, kInfinity}) {
    AttentionInputs inputs = zero_scores(1, column_of({1, 3, poison, poison}));
    inputs.k = column_of({0, 0, poison, poison});
    const AttentionOutputs padded = attention_forward(small_problem(1, 2), {}, inputs);
    check_column(padded.o, {2});
    check_column(padded.lse, {kLn2});
    // The same keys inside the length but masked: two of four columns start at row 0.
    const ColumnMask mask = starts({1, 1, 0, 0});
    const Problem causal{.seqlen_q = 1, .seqlen_k = 4, .head_dim = 1, .head_dim_v = 1, .causal = Causal::bottom_right};
    const AttentionOutputs hidden = attention_forward(causal, mask, inputs);
    check_column(hidden.o, {2});
    const AttentionGradients gradients = attention_backward(causal, mask, inputs, hidden);
    check_column(gradients.dv, {0.5, 0.5, 0, 0});
    check_column(gradients.dk, {0, 0, 0, 0});
    check_column(gradients.dq, {0});
    check_column(attention_forward_rounded(causal, mask, inputs).o, {2});
  }
  const AttentionInputs visible = zero_scores(1, column_of({1, kNan}));
  CHECK(std::isnan(attention_forward(small_problem(1, 2), {}, visible).o(0, 0, 0, 0)));
}

TEST_CASE("B36: a NaN in K of the only visible key is not taken for a fully masked row")
{
  AttentionInputs inputs = zero_scores(1, column_of({1}));
  inputs.k = column_of({kNan});
  for (const AttentionOutputs& outputs : {attention_forward(small_problem(1, 1), {}, inputs),
                                          attention_forward_rounded(small_problem(1, 1), {}, inputs)}) {
    CHECK(std::isnan(outputs.o(0, 0, 0, 0)));
    CHECK(std::isnan(outputs.lse(0, 0, 0, 0)));
  }
}

TEST_CASE("B36: a NaN that some rows see reaches exactly those rows")
{
  // Causal: key 1 is NaN; row 0 does not see it, rows 1 and 2 do.
  const Problem problem = small_problem(3, 3, Causal::bottom_right);
  AttentionInputs inputs = zero_scores(3, column_of({1, kNan, 3}));
  const AttentionOutputs outputs = attention_forward(problem, {}, inputs);
  CHECK(outputs.o(0, 0, 0, 0) == 1);
  CHECK(std::isnan(outputs.o(0, 0, 1, 0)));
  CHECK(std::isnan(outputs.o(0, 0, 2, 0)));
  const AttentionGradients gradients = attention_backward(problem, {}, inputs, outputs);
  CHECK(gradients.dq(0, 0, 0, 0) == 0);
  CHECK(std::isnan(gradients.dq(0, 0, 1, 0)));
  check_column(gradients.dv, {1.0 + 0.5 + 1.0 / 3, 0.5 + 1.0 / 3, 1.0 / 3});
}

}  // namespace flashgate::reference
