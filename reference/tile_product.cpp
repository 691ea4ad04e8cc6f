#include "reference/tile_product.h"

namespace flashgate::reference {
namespace {

/// A full tile has nothing to keep out, so only partial ones pay for the look at the operand.
bool needs_care(const TileVisibility& tile, const ConstHeadRows& operand)
{
  return tile.block_class == BlockClass::partial_block && !operand.allFinite();
}

}  // namespace

void add_over_keys(const TileVisibility& tile, const TileWeights& weights, const ConstHeadRows& operand, HeadRows out)
{
  if (!needs_care(tile, operand)) {
    out.noalias() += weights * operand;
    return;
  }
  for (int c = 0; c < tile.columns; ++c) {
    for (int r = 0; r < tile.rows; ++r) {
      if (tile.visible(r, c)) out.row(r) += weights(r, c) * operand.row(c);
    }
  }
}

void add_over_queries(const TileVisibility& tile, const TileWeights& weights, const ConstHeadRows& operand,
                      HeadRows out)
{
  if (!needs_care(tile, operand)) {
    out.noalias() += weights.transpose() * operand;
    return;
  }
  for (int c = 0; c < tile.columns; ++c) {
    for (int r = 0; r < tile.rows; ++r) {
      if (tile.visible(r, c)) out.row(c) += weights(r, c) * operand.row(r);
    }
  }
}

void fill_masked(const TileVisibility& tile, double value, TileWeights& weights)
{
  if (tile.block_class == BlockClass::full_block) return;
  for (int r = 0; r < tile.rows; ++r) {
    for (int c = 0; c < tile.columns; ++c) {
      if (!tile.visible(r, c)) weights(r, c) = value;
    }
  }
}

}  // namespace flashgate::reference
