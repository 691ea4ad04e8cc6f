#pragma once

#include <cmath>
#include <limits>

#include "reference/error_bound.h"
#include "reference/half.h"
#include "reference/mask_expand.h"
#include "reference/row_error.h"
#include "reference/tile_product.h"

namespace flashgate::reference {

/// Shared by forward_error_bound and backward_error_bound, and by nothing else. Formulas: docs/tolerances.md.

/// Roundings of an accumulated sum beside its n additions: final scaling and division, a spare for each side.
constexpr double kSumRoundings = 4;

/// Rounding of a stored value: relative in the normal range, absolute below it.
struct Storage
{
  double u;    ///< unit roundoff of the dtype
  double eta;  ///< half the smallest subnormal, or the smallest normal fp32 that a kernel may flush to zero

  explicit Storage(Dtype dtype)
      : u(unit_roundoff(dtype)), eta(std::fmax(0.5 * smallest_subnormal(dtype), std::numeric_limits<float>::min()))
  {
  }

  /// Bound of a value after it is stored, given its magnitude and its bound before.
  double stored(double magnitude, double bound) const { return bound + u * (magnitude + bound) + eta; }

  /// Stores every element: `scale` times its bound plus `extra`, then the final rounding. An element with bound and
  /// value 0 has no visible term; it is exact and stays so.
  void store_all(const Tensor<double>& values, double scale, double extra, Tensor<double>& bounds) const
  {
    for (std::size_t n = 0; n < bounds.size(); ++n) {
      double& bound = bounds.data()[n];
      const double magnitude = std::fabs(values.data()[n]);
      if (bound != 0 || magnitude != 0) bound = stored(magnitude, scale * bound + extra);
    }
  }
};

/// One (batch, head): views of what it reads, and the error of its rows.
struct HeadBound
{
  const Problem& problem;
  const MaskPair& mask;
  const BoundOptions& options;
  int b;
  int h;
  Storage storage;
  ConstHeadRows q;
  ConstHeadRows k;
  ConstHeadRows v;
  Eigen::VectorXd lse;
  RowError rows;

  HeadBound(const Problem& problem, const MaskPair& mask, const AttentionInputs& inputs,
            const AttentionOutputs& outputs, const BoundOptions& options, int b, int h);

  /// P of one tile, exact zeros where masked.
  void weights(const TileVisibility& tile, int first_row, int first_column, TileWeights& p) const;

  /// Calls use(tile, first_row, first_column) for every tile with a visible element.
  void for_each_tile(const auto& use) const
  {
    for (int m_block = 0; m_block < tile_count(problem.seqlen_q); ++m_block) {
      for (int n_block = 0; n_block < tile_count(problem.seqlen_k); ++n_block) {
        const TileVisibility tile = expand_tile(problem, mask, b, h, m_block, n_block);
        if (tile.block_class != BlockClass::skipped_block) use(tile, m_block * kTile, n_block * kTile);
      }
    }
  }
};

}  // namespace flashgate::reference
