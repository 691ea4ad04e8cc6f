#include <cmath>
#include <limits>

#include "reference/attention.h"
#include "reference/head_workers.h"
#include "reference/mask_expand.h"
#include "reference/tile_product.h"

namespace flashgate::reference {
namespace {

/// One (batch, head): views of what it reads, and delta.
struct HeadBackward
{
  const Problem& problem;
  const MaskPair& mask;
  int b;
  int h;
  ConstHeadRows q;
  ConstHeadRows k;
  ConstHeadRows v;
  ConstHeadRows d_o;
  Eigen::VectorXd lse;
  Eigen::VectorXd delta;  ///< sum_d dO O, per row

  HeadBackward(const Problem& problem_, const MaskPair& mask_, const AttentionInputs& inputs,
               const AttentionOutputs& outputs, int b_, int h_)
      : problem(problem_),
        mask(mask_),
        b(b_),
        h(h_),
        q(inputs.q.head(b, h).topRows(problem.seqlen_q)),
        k(inputs.k.head(b, kv_head(problem, h)).topRows(problem.seqlen_k)),
        v(inputs.v.head(b, kv_head(problem, h)).topRows(problem.seqlen_k)),
        d_o(inputs.d_o.head(b, h).topRows(problem.seqlen_q)),
        lse(outputs.lse.head(b, h).topRows(problem.seqlen_q)),
        delta(d_o.cwiseProduct(outputs.o.head(b, h).topRows(problem.seqlen_q)).rowwise().sum())
  {
  }

  /// P and dS of one tile from S (in `p`) and dP (in `ds`). Masked elements become exact zeros whatever stood there.
  void finish_weights(const TileVisibility& tile, int first_row, TileWeights& p, TileWeights& ds) const
  {
    for (int r = 0; r < tile.rows; ++r) {
      for (int c = 0; c < tile.columns; ++c) {
        p(r, c) = std::exp(p(r, c) - lse[first_row + r]);
        ds(r, c) = p(r, c) * (ds(r, c) - delta[first_row + r]);
      }
    }
    fill_masked(tile, 0.0, p);
    fill_masked(tile, 0.0, ds);
  }

  /// Adds every visible tile to dq, dk, dv; the scale of dq and dk is left to the caller.
  void run(HeadRows dq, HeadRows dk, HeadRows dv) const
  {
    TileWeights p;
    TileWeights ds;
    for (int m_block = 0; m_block < tile_count(problem.seqlen_q); ++m_block) {
      const int first_row = m_block * kTile;
      const int rows = std::min(kTile, problem.seqlen_q - first_row);
      const HeadMatrix<double> scaled_q = problem.softmax_scale * q.middleRows(first_row, rows);
      for (int n_block = 0; n_block < tile_count(problem.seqlen_k); ++n_block) {
        const TileVisibility tile = expand_tile(problem, mask, b, h, m_block, n_block);
        if (tile.block_class == BlockClass::skipped_block) continue;
        const int first_column = n_block * kTile;
        const int columns = tile.columns;
        p.noalias() = scaled_q * k.middleRows(first_column, columns).transpose();
        ds.noalias() = d_o.middleRows(first_row, rows) * v.middleRows(first_column, columns).transpose();
        finish_weights(tile, first_row, p, ds);
        add_over_queries(tile, p, d_o.middleRows(first_row, rows), dv.middleRows(first_column, columns));
        add_over_keys(tile, ds, k.middleRows(first_column, columns), dq.middleRows(first_row, rows));
        add_over_queries(tile, ds, q.middleRows(first_row, rows), dk.middleRows(first_column, columns));
      }
    }
  }

  /// This (batch, head)'s share of dsink: -sum_i exp(sink - L_i) delta_i. A fully masked row has delta 0.
  double sink_gradient(double sink) const
  {
    double sum = 0;
    for (int i = 0; i < problem.seqlen_q; ++i)
      sum -= std::exp(sink - lse[i]) * delta[i];
    return sum;
  }
};

/// dK and dV of every query head by itself, so that heads of one group can run side by side.
struct PerQueryHead
{
  Tensor<double> dk;
  Tensor<double> dv;
};

/// Sums over the query heads of each group, ascending.
Tensor<double> sum_groups(const Problem& problem, Tensor<double> per_head)
{
  if (problem.num_heads == problem.num_heads_kv) return per_head;
  Tensor<double> sum(problem.batch, problem.num_heads_kv, per_head.seq(), per_head.dim());
  for (int b = 0; b < problem.batch; ++b) {
    for (int h = 0; h < problem.num_heads; ++h)
      sum.head(b, kv_head(problem, h)) += per_head.head(b, h);
  }
  return sum;
}

}  // namespace

AttentionGradients attention_backward(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                                      const AttentionOutputs& outputs, const AttentionOptions& options)
{
  validate(problem, mask, inputs, options, true);
  validate(problem, outputs);
  const MaskPair masks{mask, options.block_mask};
  AttentionGradients gradients;
  gradients.dq = Tensor<double>(problem.batch, problem.num_heads, problem.seqlen_q, problem.head_dim);
  PerQueryHead partial{Tensor<double>(problem.batch, problem.num_heads, problem.seqlen_k, problem.head_dim),
                       Tensor<double>(problem.batch, problem.num_heads, problem.seqlen_k, problem.head_dim_v)};
  Tensor<double> dsink(problem.batch, problem.num_heads, 1, 1);
  for_each_head(problem.batch, problem.num_heads, options.threads, [&](int b, int h) {
    const HeadBackward head(problem, masks, inputs, outputs, b, h);
    head.run(gradients.dq.head(b, h), partial.dk.head(b, h), partial.dv.head(b, h));
    gradients.dq.head(b, h) *= problem.softmax_scale;
    partial.dk.head(b, h) *= problem.softmax_scale;
    if (!inputs.sink.empty()) dsink(b, h, 0, 0) = head.sink_gradient(inputs.sink[static_cast<std::size_t>(h)]);
  });
  gradients.dk = sum_groups(problem, std::move(partial.dk));
  gradients.dv = sum_groups(problem, std::move(partial.dv));
  if (!inputs.sink.empty()) gradients.dsink.assign(static_cast<std::size_t>(problem.num_heads), 0.0);
  for (int b = 0; b < problem.batch && !inputs.sink.empty(); ++b) {
    for (int h = 0; h < problem.num_heads; ++h)
      gradients.dsink[static_cast<std::size_t>(h)] += dsink(b, h, 0, 0);
  }
  return gradients;
}

}  // namespace flashgate::reference
