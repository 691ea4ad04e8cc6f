#include <cmath>

#include "reference/error_bound.h"
#include "reference/head_bound.h"
#include "reference/head_workers.h"

namespace flashgate::reference {
namespace {

/// Adds dO, delta and the bounds of what the forward hands over.
struct HeadBackwardBound : HeadBound
{
  ConstHeadRows d_o;
  Eigen::VectorXd delta;
  Eigen::VectorXd delta_error;   ///< D_i
  Eigen::VectorXd weight_error;  ///< r_i: relative error of P recomputed from LSE
  Eigen::VectorXd d_o_norms;
  Eigen::VectorXd v_norms;
  double query_term;  ///< rounding and accumulation of a term of dQ, relative
  double key_term;    ///< the same of dK and dV

  HeadBackwardBound(const Problem& problem_, const MaskPair& mask_, const AttentionInputs& inputs,
                    const AttentionOutputs& outputs, const ForwardBound& forward, const BoundOptions& options_, int b_,
                    int h_)
      : HeadBound(problem_, mask_, inputs, outputs, options_, b_, h_),
        d_o(inputs.d_o.head(b, h).topRows(problem.seqlen_q))
  {
    const HeadMatrix<double> o = outputs.o.head(b, h).topRows(problem.seqlen_q);
    delta = d_o.cwiseProduct(o).rowwise().sum();
    delta_error = d_o.cwiseAbs().cwiseProduct(forward.o.head(b, h)).rowwise().sum();
    delta_error += dot_error() * d_o.cwiseAbs().cwiseProduct(o.cwiseAbs()).rowwise().sum();
    const Eigen::ArrayXd argument = kSumRoundings * kFp32Epsilon * (rows.magnitude.array() + lse.array().abs() + 1.0);
    const Eigen::ArrayXd sum = rows.score.array() + forward.lse.head(b, h).col(0).array() + argument;
    weight_error = sum.unaryExpr([](double x) { return compounded(x); });
    d_o_norms = d_o.rowwise().norm();
    v_norms = v.rowwise().norm();
    query_term = term_error(options.key_parts > 1 ? 1 : 0, problem.seqlen_k);
    key_term = term_error(options.partial_roundings, problem.seqlen_q * group_size(problem));
  }

  /// Relative error of an fp32 dot product over head_dim_v.
  double dot_error() const { return (problem.head_dim_v + 1) * kFp32Epsilon; }

  /// What rounding a term to the dtype, `partial` roundings of sums it is in, and n fp32 additions do to it.
  double term_error(int partial, int n) const
  {
    return compounded(storage.u * (1 + partial) + (n + kSumRoundings) * kFp32Epsilon);
  }

  /// From P (in `p`) and dP (in `ds`): the weights of |dO| in dV, of |K| in dQ, of |Q| in dK.
  void finish(const TileVisibility& tile, int first_row, int first_column, TileWeights& p, TileWeights& ds,
              TileWeights& ds_keys) const
  {
    for (int r = 0; r < tile.rows; ++r) {
      const int i = first_row + r;
      for (int c = 0; c < tile.columns; ++c) {
        const double g = std::fabs(ds(r, c) - delta[i]);
        const double dp_error = dot_error() * d_o_norms[i] * v_norms[first_column + c];
        const double g_error = dp_error + delta_error[i] + 2 * kFp32Epsilon * g;
        const double error = p(r, c) * (weight_error[i] * g + (1 + weight_error[i]) * g_error);
        const double size = p(r, c) * g + error;
        ds(r, c) = error + size * query_term + storage.eta;
        ds_keys(r, c) = error + size * key_term + storage.eta;
        p(r, c) = p(r, c) * (weight_error[i] + (1 + weight_error[i]) * key_term) + storage.eta;
      }
    }
    for (TileWeights* each : {&p, &ds, &ds_keys}) {
      fill_masked(tile, 0.0, *each);
    }
  }

  /// Adds the unstored, unscaled bounds.
  void add_to(HeadRows dq, HeadRows dk, HeadRows dv) const
  {
    TileWeights p;
    TileWeights ds;
    TileWeights ds_keys;
    for_each_tile([&](const TileVisibility& tile, int first_row, int first_column) {
      weights(tile, first_row, first_column, p);
      ds.noalias() = d_o.middleRows(first_row, tile.rows) * v.middleRows(first_column, tile.columns).transpose();
      ds_keys.resize(tile.rows, tile.columns);
      finish(tile, first_row, first_column, p, ds, ds_keys);
      const HeadMatrix<double> q_abs = q.middleRows(first_row, tile.rows).cwiseAbs();
      const HeadMatrix<double> k_abs = k.middleRows(first_column, tile.columns).cwiseAbs();
      const HeadMatrix<double> d_o_abs = d_o.middleRows(first_row, tile.rows).cwiseAbs();
      add_over_queries(tile, p, d_o_abs, dv.middleRows(first_column, tile.columns));
      add_over_keys(tile, ds, k_abs, dq.middleRows(first_row, tile.rows));
      add_over_queries(tile, ds_keys, q_abs, dk.middleRows(first_column, tile.columns));
    });
  }

  /// Error of this (batch, head)'s share of dsink.
  double sink_bound(double sink) const
  {
    const double accumulation = (problem.batch * problem.seqlen_q + kSumRoundings) * kFp32Epsilon;
    const double argument = kSumRoundings * kFp32Epsilon * (1.0 + std::fabs(sink));
    double sum = 0;
    for (int i = 0; i < problem.seqlen_q; ++i) {
      if (rows.visible[i] == 0) continue;  // delta is exactly 0
      const double error = weight_error[i] + accumulation + argument;
      sum += std::exp(sink - lse[i]) * (error * std::fabs(delta[i]) + (1 + error) * delta_error[i]);
    }
    return sum;
  }
};

/// Adds the bounds of the query heads of each group, scaled, with what each head's partial sums cost below the normal
/// range, which no relative term covers.
Tensor<double> sum_groups(const Problem& problem, const BoundOptions& options, double scale, Tensor<double> per_head)
{
  const double partial_sums = options.partial_roundings * options.partial_sums * Storage(problem.dtype).eta;
  Tensor<double> sum(problem.batch, problem.num_heads_kv, per_head.seq(), per_head.dim());
  for (int b = 0; b < problem.batch; ++b) {
    for (int h = 0; h < problem.num_heads; ++h) {
      const auto scaled =
          per_head.head(b, h).unaryExpr([&](double bound) { return bound == 0 ? 0.0 : scale * bound + partial_sums; });
      sum.head(b, kv_head(problem, h)) += scaled;
    }
  }
  return sum;
}

/// dsink sums over the batch, and is stored in the dtype once.
std::vector<double> store_sinks(const Storage& storage, const std::vector<double>& gradients,
                                const Tensor<double>& shares)
{
  std::vector<double> bounds;
  for (int h = 0; h < shares.heads() && !gradients.empty(); ++h) {
    double sum = 0;
    for (int b = 0; b < shares.batch(); ++b) {
      sum += shares(b, h, 0, 0);
    }
    bounds.push_back(storage.stored(std::fabs(gradients[static_cast<std::size_t>(h)]), sum));
  }
  return bounds;
}

}  // namespace

BackwardBound backward_error_bound(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                                   const AttentionOutputs& outputs, const AttentionGradients& gradients,
                                   const ForwardBound& forward, const BoundOptions& options)
{
  validate(problem, mask, inputs, {.block_mask = options.block_mask}, true);
  validate(problem, outputs);
  const MaskPair masks{mask, options.block_mask};
  BackwardBound bound;
  bound.dq = Tensor<double>(problem.batch, problem.num_heads, problem.seqlen_q, problem.head_dim);
  Tensor<double> dk(problem.batch, problem.num_heads, problem.seqlen_k, problem.head_dim);
  Tensor<double> dv(problem.batch, problem.num_heads, problem.seqlen_k, problem.head_dim_v);
  Tensor<double> dsink(problem.batch, problem.num_heads, 1, 1);
  for_each_head(problem.batch, problem.num_heads, options.threads, [&](int b, int h) {
    const HeadBackwardBound head(problem, masks, inputs, outputs, forward, options, b, h);
    head.add_to(bound.dq.head(b, h), dk.head(b, h), dv.head(b, h));
    if (!inputs.sink.empty()) dsink(b, h, 0, 0) = head.sink_bound(inputs.sink[static_cast<std::size_t>(h)]);
  });
  const Storage storage(problem.dtype);
  const double scale = std::fabs(problem.softmax_scale);
  const double parts = options.key_parts > 1 ? options.key_parts * storage.eta : 0.0;
  bound.dk = sum_groups(problem, options, scale, std::move(dk));
  bound.dv = sum_groups(problem, options, 1.0, std::move(dv));
  storage.store_all(gradients.dq, scale, parts, bound.dq);
  storage.store_all(gradients.dk, 1.0, 0.0, bound.dk);
  storage.store_all(gradients.dv, 1.0, 0.0, bound.dv);
  bound.dsink = store_sinks(storage, gradients.dsink, dsink);
  return bound;
}

}  // namespace flashgate::reference
