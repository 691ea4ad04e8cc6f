#include "reference/attention_plain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/half.h"
#include "reference/head_workers.h"
#include "reference/mask_expand.h"

namespace flashgate::reference {
namespace {

/// One (batch, head), row by row. Sums are kept in float, as the operations of a framework do inside.
struct PlainHead
{
  const Problem& problem;
  const MaskPair mask;
  const AttentionInputs& inputs;
  int b;
  int h;
  HeadMatrix<float> q;
  HeadMatrix<float> k_scaled;
  HeadMatrix<float> v;

  PlainHead(const Problem& problem_, const MaskPair& mask_, const AttentionInputs& inputs_, int b_, int h_)
      : problem(problem_),
        mask(mask_),
        inputs(inputs_),
        b(b_),
        h(h_),
        q(inputs.q.head(b, h).topRows(problem.seqlen_q).cast<float>()),
        k_scaled(
            (problem.softmax_scale * inputs.k.head(b, kv_head(problem, h)).topRows(problem.seqlen_k)).cast<float>()),
        v(inputs.v.head(b, kv_head(problem, h)).topRows(problem.seqlen_k).cast<float>())
  {
    for (float& value : k_scaled.reshaped())
      value = low(value);
  }

  float low(float value) const { return static_cast<float>(round_to(problem.dtype, value)); }

  /// Keys that row i sees, and P on them.
  struct Row
  {
    std::vector<int> keys;
    std::vector<float> p;
  };

  Row softmax(int i) const
  {
    Row row;
    float maximum = -std::numeric_limits<float>::infinity();
    for (int j = 0; j < problem.seqlen_k; ++j) {
      if (masked(problem, mask, b, h, i, j)) continue;
      row.keys.push_back(j);
      row.p.push_back(low(q.row(i).dot(k_scaled.row(j))));
      maximum = std::max(maximum, row.p.back());
    }
    float sum = 0;
    for (float& p : row.p)
      sum += p = std::exp(p - maximum);
    for (float& p : row.p)
      p = low(p / sum);
    return row;
  }

  void forward(int i, const Row& row, PlainResult& result) const
  {
    Eigen::RowVectorXf o = Eigen::RowVectorXf::Zero(problem.head_dim_v);
    for (std::size_t n = 0; n < row.keys.size(); ++n)
      o += row.p[n] * v.row(row.keys[n]);
    for (int d = 0; d < problem.head_dim_v; ++d)
      result.o(b, h, i, d) = low(o[d]);
  }

  void backward(int i, const Row& row, HeadMatrix<float>& dk, HeadMatrix<float>& dv, PlainResult& result) const
  {
    const Eigen::RowVectorXf d_o = inputs.d_o.head(b, h).row(i).cast<float>();
    std::vector<float> dp;
    float inner = 0;
    for (std::size_t n = 0; n < row.keys.size(); ++n) {
      dp.push_back(low(d_o.dot(v.row(row.keys[n]))));
      inner += row.p[n] * dp.back();
    }
    Eigen::RowVectorXf dq = Eigen::RowVectorXf::Zero(problem.head_dim);
    for (std::size_t n = 0; n < row.keys.size(); ++n) {
      const float ds = low(row.p[n] * (dp[n] - inner));
      dq += ds * k_scaled.row(row.keys[n]);
      dk.row(row.keys[n]) += ds * q.row(i);
      dv.row(row.keys[n]) += row.p[n] * d_o;
    }
    for (int d = 0; d < problem.head_dim; ++d)
      result.gradients.dq(b, h, i, d) = low(dq[d]);
  }
};

/// A head's dK or dV, rounded once as an operation's result, then scaled and rounded again if it is scaled.
void store(const PlainHead& head, const HeadMatrix<float>& sum, double scale, Tensor<double>& per_head)
{
  auto out = per_head.head(head.b, head.h);
  for (Eigen::Index s = 0; s < sum.rows(); ++s) {
    for (Eigen::Index d = 0; d < sum.cols(); ++d)
      out(s, d) = round_to(head.problem.dtype, scale * head.low(sum(s, d)));
  }
}

/// An eager framework sums the expanded heads of a group in one reduction, so there is one more rounding here.
Tensor<double> sum_groups(const Problem& problem, const Tensor<double>& per_head)
{
  Tensor<double> sum(problem.batch, problem.num_heads_kv, per_head.seq(), per_head.dim());
  for (int b = 0; b < problem.batch; ++b) {
    for (int h = 0; h < problem.num_heads; ++h)
      sum.head(b, kv_head(problem, h)) += per_head.head(b, h);
  }
  for (double& value : sum)
    value = round_to(problem.dtype, value);
  return sum;
}

}  // namespace

PlainResult attention_plain(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                            const AttentionOptions& options, bool backward)
{
  validate(problem, mask, inputs, options, backward);
  const Problem& p = problem;
  PlainResult result;
  result.o = Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim_v);
  if (backward) result.gradients.dq = Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim);
  Tensor<double> dk(p.batch, p.num_heads, backward ? p.seqlen_k : 0, p.head_dim);
  Tensor<double> dv(p.batch, p.num_heads, backward ? p.seqlen_k : 0, p.head_dim_v);
  for_each_head(p.batch, p.num_heads, options.threads, [&](int b, int h) {
    const PlainHead head(p, {mask, options.block_mask}, inputs, b, h);
    HeadMatrix<float> head_dk = HeadMatrix<float>::Zero(dk.seq(), p.head_dim);
    HeadMatrix<float> head_dv = HeadMatrix<float>::Zero(dv.seq(), p.head_dim_v);
    for (int i = 0; i < p.seqlen_q; ++i) {
      const PlainHead::Row row = head.softmax(i);
      head.forward(i, row, result);
      if (backward) head.backward(i, row, head_dk, head_dv, result);
    }
    store(head, head_dk, p.softmax_scale, dk);
    store(head, head_dv, 1.0, dv);
  });
  if (backward) result.gradients.dk = sum_groups(p, dk);
  if (backward) result.gradients.dv = sum_groups(p, dv);
  return result;
}

}  // namespace flashgate::reference
