#include <cmath>
#include <limits>

#include "reference/attention.h"
#include "reference/head_workers.h"
#include "reference/mask_expand.h"
#include "reference/tile_product.h"

namespace flashgate::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The online softmax of one row block: maximum and sum so far; `o` is relative to that maximum.
struct RowState
{
  Eigen::VectorXd row_max;
  Eigen::VectorXd row_sum;
  HeadMatrix<double> o;

  /// The sink is a logit without a value, so a row starts as if it had seen it; without a sink it has seen nothing.
  RowState(int rows, int head_dim_v, const double* sink)
      : row_max(Eigen::VectorXd::Constant(rows, sink != nullptr ? *sink : -kInfinity)),
        row_sum(Eigen::VectorXd::Constant(rows, sink != nullptr ? 1.0 : 0.0)),
        o(HeadMatrix<double>::Zero(rows, head_dim_v))
  {
  }
};

/// The larger of the two, NaN if one is.
double nan_max(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// Brings one row's state up to a new maximum.
void rescale_row(int r, double maximum, RowState& state)
{
  const double rescale = std::exp(state.row_max[r] - maximum);
  state.row_sum[r] *= rescale;
  state.o.row(r) *= rescale;
  state.row_max[r] = maximum;
}

/// Turns one row of scores into weights exp(score - maximum) and counts them in. Masked scores are -inf: weight 0.
void absorb_row(int r, TileWeights& scores, RowState& state)
{
  const double maximum = nan_max(scores.row(r).maxCoeff<Eigen::PropagateNaN>(), state.row_max[r]);
  if (maximum == -kInfinity) {  // nothing visible so far; (-inf) - (-inf) must not become a NaN
    scores.row(r).setZero();
    return;
  }
  if (maximum != state.row_max[r]) rescale_row(r, maximum, state);
  double sum = 0;
  for (Eigen::Index c = 0; c < scores.cols(); ++c) {
    scores(r, c) = std::exp(scores(r, c) - maximum);
    sum += scores(r, c);
  }
  state.row_sum[r] += sum;
}

/// One (batch, head): views of what it reads.
struct HeadForward
{
  const Problem& problem;
  const MaskPair& mask;
  int b;
  int h;
  ConstHeadRows q;
  ConstHeadRows k;
  ConstHeadRows v;
  const double* sink;

  HeadForward(const Problem& problem_, const MaskPair& mask_, const AttentionInputs& inputs, int b_, int h_)
      : problem(problem_),
        mask(mask_),
        b(b_),
        h(h_),
        q(inputs.q.head(b, h).topRows(problem.seqlen_q)),
        k(inputs.k.head(b, kv_head(problem, h)).topRows(problem.seqlen_k)),
        v(inputs.v.head(b, kv_head(problem, h)).topRows(problem.seqlen_k)),
        sink(inputs.sink.empty() ? nullptr : &inputs.sink[static_cast<std::size_t>(h)])
  {
  }

  /// All key tiles of row block m_block.
  RowState run(int m_block) const
  {
    const int first_row = m_block * kTile;
    const int rows = std::min(kTile, problem.seqlen_q - first_row);
    const HeadMatrix<double> scaled_q = problem.softmax_scale * q.middleRows(first_row, rows);
    RowState state(rows, problem.head_dim_v, sink);
    TileWeights scores;
    for (int n_block = 0; n_block < tile_count(problem.seqlen_k); ++n_block) {
      const TileVisibility tile = expand_tile(problem, mask, b, h, m_block, n_block);
      if (tile.block_class == BlockClass::skipped_block) continue;
      const int first_column = n_block * kTile;
      scores.noalias() = scaled_q * k.middleRows(first_column, tile.columns).transpose();
      fill_masked(tile, -kInfinity, scores);
      for (int r = 0; r < rows; ++r)
        absorb_row(r, scores, state);
      add_over_keys(tile, scores, v.middleRows(first_column, tile.columns), state.o);
    }
    return state;
  }
};

/// O = o / row_sum, LSE = row_max + log(row_sum); zero and -inf where nothing was visible and there is no sink.
void store(const RowState& state, int b, int h, int first_row, AttentionOutputs& outputs)
{
  auto o = outputs.o.head(b, h);
  for (Eigen::Index r = 0; r < state.o.rows(); ++r) {
    const bool empty = state.row_max[r] == -kInfinity;
    if (!empty) o.row(first_row + r) = state.o.row(r) / state.row_sum[r];
    outputs.lse(b, h, first_row + static_cast<int>(r), 0) =
        empty ? -kInfinity : state.row_max[r] + std::log(state.row_sum[r]);
  }
}

}  // namespace

AttentionOutputs attention_forward(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                                   const AttentionOptions& options)
{
  validate(problem, mask, inputs, options, false);
  const MaskPair masks{mask, options.block_mask};
  AttentionOutputs outputs{
      Tensor<double>(problem.batch, problem.num_heads, problem.seqlen_q, problem.head_dim_v),
      Tensor<double>(problem.batch, problem.num_heads, problem.seqlen_q, 1),
  };
  for_each_head(problem.batch, problem.num_heads, options.threads, [&](int b, int h) {
    const HeadForward head(problem, masks, inputs, b, h);
    for (int m_block = 0; m_block < tile_count(problem.seqlen_q); ++m_block) {
      store(head.run(m_block), b, h, m_block * kTile, outputs);
    }
  });
  return outputs;
}

}  // namespace flashgate::reference
