#include "reference/row_error.h"

#include <cmath>

namespace flashgate::reference {
namespace {

/// Smallest key tile of any kernel in the facts (section 3.7): a row is rescaled at most once per such tile.
constexpr int kSmallestKeyTile = 32;

/// Roundings of a score beside its dot product: scale, log2(e), their product with the sum, the subtraction.
constexpr int kScoreRoundings = 8;
/// Roundings around one exponential: its argument twice, ex2.approx (2 units), the product with the accumulator.
constexpr int kExponentialRoundings = 4;

/// Counts visible keys and the largest visible key norm of each row of a tile.
void absorb_tile(const TileVisibility& tile, int first_row, int first_column, const Eigen::VectorXd& key_norms,
                 RowError& error)
{
  for (int c = 0; c < tile.columns; ++c) {
    const double norm = key_norms[first_column + c];
    for (int r = 0; r < tile.rows; ++r) {
      if (!tile.visible(r, c)) continue;
      error.visible[first_row + r] += 1;
      error.magnitude[first_row + r] = std::fmax(error.magnitude[first_row + r], norm);
    }
  }
}

}  // namespace

double compounded(double sum) { return std::expm1(sum); }

// M_i uses norms instead of sums of |q k|: a product of matrices less, and only fp32 terms depend on it.
RowError row_error(const Problem& problem, const MaskPair& mask, const AttentionInputs& inputs, int b, int h)
{
  const Eigen::VectorXd key_norms = inputs.k.head(b, kv_head(problem, h)).topRows(problem.seqlen_k).rowwise().norm();
  const Eigen::VectorXd query_norms = inputs.q.head(b, h).topRows(problem.seqlen_q).rowwise().norm();
  RowError error;
  error.visible = Eigen::VectorXd::Zero(problem.seqlen_q);
  error.magnitude = Eigen::VectorXd::Zero(problem.seqlen_q);
  for (int m_block = 0; m_block < tile_count(problem.seqlen_q); ++m_block) {
    for (int n_block = 0; n_block < tile_count(problem.seqlen_k); ++n_block) {
      const TileVisibility tile = expand_tile(problem, mask, b, h, m_block, n_block);
      if (tile.block_class == BlockClass::skipped_block) continue;
      absorb_tile(tile, m_block * kTile, n_block * kTile, key_norms, error);
    }
  }
  error.magnitude.array() *= std::fabs(problem.softmax_scale) * query_norms.array();
  if (!inputs.sink.empty()) {
    error.magnitude = error.magnitude.cwiseMax(std::fabs(inputs.sink[static_cast<std::size_t>(h)]));
  }
  const int key_tiles = (problem.seqlen_k + kSmallestKeyTile - 1) / kSmallestKeyTile;
  const double rescales = 1.0 + key_tiles;
  const Eigen::ArrayXd around_exp = kExponentialRoundings * kFp32Epsilon * (1.0 + error.magnitude.array());
  error.score = kFp32Epsilon * (problem.head_dim + kScoreRoundings) * error.magnitude.array() + around_exp;
  error.exponential = error.score.array() + rescales * around_exp;
  return error;
}

}  // namespace flashgate::reference
