#include "reference/input_fill.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "reference/half.h"
#include "reference/mask_expand.h"
#include "reference/mask_families.h"

namespace flashgate::reference {
namespace {

Problem fill_problem(Dtype dtype)
{
  Problem problem{.num_heads = 4, .num_heads_kv = 2, .seqlen_q = 70, .seqlen_k = 90, .head_dim = 32, .head_dim_v = 16};
  problem.softmax_scale = default_softmax_scale(32);
  problem.dtype = dtype;
  return problem;
}

/// Columns whose first tile no row sees.
ColumnMask hidden_keys(const Problem& problem)
{
  return make_mask(default_spec(Family::fully_masked_tiles, {false, 2}, problem, 1, 0), problem);
}

bool same_bits(const Tensor<double>& a, const Tensor<double>& b)
{
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

int count_nonfinite(const Tensor<double>& tensor)
{
  return static_cast<int>(
      std::count_if(tensor.begin(), tensor.end(), [](double value) { return !std::isfinite(value); }));
}

/// Standard deviation of the scores of head 0.
double score_spread(const Problem& problem, const AttentionInputs& inputs)
{
  const auto scores = (problem.softmax_scale * inputs.q.head(0, 0) * inputs.k.head(0, 0).transpose()).eval();
  return std::sqrt((scores.array() - scores.mean()).square().mean());
}

}  // namespace

TEST_CASE("every fill is representable in the dtype, the same for the same seed and different for another")
{
  for (const FillRow& row : fills()) {
    CAPTURE(std::string(row.name));
    for (const Dtype dtype : {Dtype::bf16, Dtype::fp16}) {
      const Problem problem = fill_problem(dtype);
      const ColumnMask mask = hidden_keys(problem);
      const AttentionInputs inputs = fill_inputs(row.fill, problem, mask, 9);
      for (const Tensor<double>* tensor : {&inputs.q, &inputs.k, &inputs.v, &inputs.d_o}) {
        CHECK(std::ranges::all_of(*tensor, [&](double x) { return std::isnan(x) || round_to(dtype, x) == x; }));
      }
      CHECK(same_bits(inputs.k, fill_inputs(row.fill, problem, mask, 9).k));
      CHECK(same_bits(inputs.v, fill_inputs(row.fill, problem, mask, 9).v));
      CHECK_FALSE(same_bits(inputs.v, fill_inputs(row.fill, problem, mask, 10).v));
    }
    CHECK(find_fill(row.name) == &fill_row(row.fill));
    CHECK_FALSE(row.reason.empty());
  }
  CHECK(find_fill("random") == nullptr);
}

TEST_CASE("scores spread as each fill says")
{
  const Problem problem = fill_problem(Dtype::bf16);
  CHECK(score_spread(problem, fill_inputs(Fill::uniform, problem, {}, 1)) == doctest::Approx(1.0).epsilon(0.1));
  CHECK(score_spread(problem, fill_inputs(Fill::zero_scores, problem, {}, 1)) == 0);
  CHECK(score_spread(problem, fill_inputs(Fill::large_range, problem, {}, 1)) > 8);
}

TEST_CASE("one visible key carries most of every row of one_hot_key")
{
  Problem problem = fill_problem(Dtype::fp16);
  problem.causal = Causal::bottom_right;
  const AttentionInputs inputs = fill_inputs(Fill::one_hot_key, problem, {}, 4);
  const AttentionOutputs outputs = attention_forward(problem, {}, inputs);
  int carried = 0;
  for (int i = 0; i < problem.seqlen_q; ++i) {
    double largest = 0;
    for (int j = 0; j < problem.seqlen_k; ++j) {
      if (masked(problem, {ColumnMask{}}, 0, 0, i, j)) continue;
      const double score = problem.softmax_scale * inputs.q.head(0, 0).row(i).dot(inputs.k.head(0, 0).row(j));
      largest = std::max(largest, std::exp(score - outputs.lse(0, 0, i, 0)));
    }
    carried += largest > 0.5 ? 1 : 0;
  }
  CHECK(carried > 0.9 * problem.seqlen_q);
}

TEST_CASE("poison stands where no row sees it, and leaves the oracle finite")
{
  const Problem problem = fill_problem(Dtype::bf16);
  const ColumnMask mask = hidden_keys(problem);
  const AttentionInputs hidden = fill_inputs(Fill::masked_nan, problem, mask, 2);
  const int poisoned = default_spec(Family::fully_masked_tiles, {false, 2}, problem, 1, 0).columns.length;
  CHECK(count_nonfinite(hidden.k) == poisoned * 2 * 32);
  CHECK(count_nonfinite(hidden.v) == poisoned * 2 * 16);
  CHECK(count_nonfinite(fill_inputs(Fill::masked_nan, problem, {}, 2).k) == 0);
  const AttentionInputs padded = fill_inputs(Fill::padding_poison, problem, mask, 2);
  CHECK(padded.q.seq() == problem.seqlen_q + kPaddingRows);
  CHECK(count_nonfinite(padded.k) == kPaddingRows * 2 * 32);
  for (const AttentionInputs* inputs : {&hidden, &padded}) {
    const AttentionOutputs outputs = attention_forward(problem, mask, *inputs);
    const AttentionGradients gradients = attention_backward(problem, mask, *inputs, outputs);
    CHECK(count_nonfinite(outputs.o) == 0);
    CHECK(count_nonfinite(outputs.lse) == 0);
    CHECK(count_nonfinite(gradients.dq) == 0);
    CHECK(count_nonfinite(gradients.dk) == 0);
    CHECK(count_nonfinite(gradients.dv) == 0);
  }
}

}  // namespace flashgate::reference
