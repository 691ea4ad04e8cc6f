#pragma once

#include <Eigen/Core>

#include "reference/mask_expand.h"
#include "reference/tensor.h"

namespace flashgate::reference {

/// The matrix products of the tiled oracle, with its rule for non-finite numbers: what stands at a masked element
/// reaches nothing. A weight of zero does not do that by itself, because 0 x NaN is NaN, so a tile whose operand holds
/// a NaN or an infinity goes element by element over the visible ones; all other tiles are ordinary products.

/// Weights of one tile, e.g. P or dS: [rows, columns], exactly zero where masked.
using TileWeights = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kTile, kTile>;

/// A run of sequence rows of one head.
using HeadRows = Eigen::Ref<HeadMatrix<double>, 0, Eigen::OuterStride<>>;
using ConstHeadRows = Eigen::Ref<const HeadMatrix<double>, 0, Eigen::OuterStride<>>;

/// out += weights * operand, out over query rows, operand over key rows (O += P V, dQ += dS K).
void add_over_keys(const TileVisibility& tile, const TileWeights& weights, const ConstHeadRows& operand, HeadRows out);

/// out += weights^T * operand, out over key rows, operand over query rows (dV += P^T dO, dK += dS^T Q).
void add_over_queries(const TileVisibility& tile, const TileWeights& weights, const ConstHeadRows& operand,
                      HeadRows out);

/// Sets every masked element of a partial tile to `value`. Nothing to do in a full tile.
void fill_masked(const TileVisibility& tile, double value, TileWeights& weights);

}  // namespace flashgate::reference
