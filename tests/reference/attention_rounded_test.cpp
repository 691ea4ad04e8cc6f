#include "reference/attention_rounded.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "reference/half.h"
#include "reference/input_fill.h"
#include "tests/reference/small_cells.h"

namespace flashgate::reference {
namespace {

Problem grouped_problem()
{
  Problem problem{.num_heads = 6, .num_heads_kv = 2, .seqlen_q = 33, .seqlen_k = 70, .head_dim = 16, .head_dim_v = 8};
  problem.softmax_scale = 0.25;
  problem.causal = Causal::bottom_right;
  return problem;
}

bool equal(const Tensor<double>& a, const Tensor<double>& b)
{
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool in_dtype(Dtype dtype, const Tensor<double>& tensor)
{
  return std::ranges::all_of(tensor, [&](double x) { return round_to(dtype, x) == x; });
}

}  // namespace

TEST_CASE("results are values of the dtype and LSE of fp32")
{
  for (const Dtype dtype : {Dtype::bf16, Dtype::fp16}) {
    Problem problem = grouped_problem();
    problem.dtype = dtype;
    const AttentionInputs inputs = fill_inputs(Fill::uniform, problem, {}, 1);
    const AttentionOutputs outputs = attention_forward_rounded(problem, {}, inputs);
    const AttentionGradients gradients = attention_backward_rounded(problem, {}, inputs, outputs);
    CHECK(in_dtype(dtype, outputs.o));
    CHECK(in_dtype(dtype, gradients.dq));
    CHECK(in_dtype(dtype, gradients.dk));
    CHECK(in_dtype(dtype, gradients.dv));
    CHECK(std::ranges::all_of(outputs.lse, [](double x) { return static_cast<double>(static_cast<float>(x)) == x; }));
  }
}

TEST_CASE("rounding each head under a group changes dK and dV and nothing else; without a group nothing")
{
  CHECK(rounded_options(2).round_each_head);
  CHECK_FALSE(rounded_options(3).round_each_head);
  CHECK_FALSE(rounded_options(4).round_each_head);
  for (const bool grouped : {true, false}) {
    Problem problem = grouped_problem();
    if (!grouped) problem.num_heads_kv = problem.num_heads;
    const AttentionInputs inputs = fill_inputs(Fill::uniform, problem, {}, 1);
    const AttentionOutputs outputs = attention_forward_rounded(problem, {}, inputs);
    const AttentionGradients once = attention_backward_rounded(problem, {}, inputs, outputs, rounded_options(3));
    const AttentionGradients twice = attention_backward_rounded(problem, {}, inputs, outputs, rounded_options(2));
    CHECK(equal(once.dq, twice.dq));
    CHECK(equal(once.dk, twice.dk) == !grouped);
    CHECK(equal(once.dv, twice.dv) == !grouped);
  }
}

TEST_CASE("the result does not depend on the number of threads")
{
  const Problem problem = grouped_problem();
  const AttentionInputs inputs = fill_inputs(Fill::large_range, problem, {}, 1);
  const AttentionOutputs one = attention_forward_rounded(problem, {}, inputs, {.threads = 1});
  const AttentionOutputs many = attention_forward_rounded(problem, {}, inputs, {.threads = 3});
  CHECK(equal(one.o, many.o));
  CHECK(equal(attention_backward_rounded(problem, {}, inputs, one, {.threads = 1}).dk,
              attention_backward_rounded(problem, {}, inputs, one, {.threads = 3}).dk));
}

TEST_CASE("a score that fp16 P cannot hold is lost only in P, never in the row sum")
{
  // Two keys, scores 0 and log(2^-26): P = 2^-26 rounds to 0 in fp16, the row sum keeps it (1 + 2^-26 is not in fp32).
  Problem problem = small_problem(1, 2);
  problem.dtype = Dtype::fp16;
  const AttentionInputs inputs{column_of({1}), column_of({0, -18.0}), column_of({0, 1024}), column_of({1})};
  CHECK(attention_forward_rounded(problem, {}, inputs).o(0, 0, 0, 0) == 0);
  problem.dtype = Dtype::bf16;
  CHECK(attention_forward_rounded(problem, {}, inputs).o(0, 0, 0, 0) > 0);
}

TEST_CASE("a sink larger than every score does not overflow")
{
  const Problem problem = small_problem(1, 1);
  const AttentionInputs inputs{column_of({0}), column_of({0}), column_of({1}), column_of({1}), {200.0}};
  const AttentionOutputs outputs = attention_forward_rounded(problem, {}, inputs);
  CHECK(outputs.o(0, 0, 0, 0) == 0);
  CHECK(outputs.lse(0, 0, 0, 0) == doctest::Approx(200.0).epsilon(1e-6));
}

}  // namespace flashgate::reference
