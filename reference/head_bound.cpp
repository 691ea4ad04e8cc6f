#include "reference/head_bound.h"

namespace flashgate::reference {

HeadBound::HeadBound(const Problem& problem_, const MaskPair& mask_, const AttentionInputs& inputs,
                     const AttentionOutputs& outputs, const BoundOptions& options_, int b_, int h_)
    : problem(problem_),
      mask(mask_),
      options(options_),
      b(b_),
      h(h_),
      storage(problem_.dtype),
      q(inputs.q.head(b, h).topRows(problem.seqlen_q)),
      k(inputs.k.head(b, kv_head(problem, h)).topRows(problem.seqlen_k)),
      v(inputs.v.head(b, kv_head(problem, h)).topRows(problem.seqlen_k)),
      lse(outputs.lse.head(b, h).topRows(problem.seqlen_q)),
      rows(row_error(problem_, mask_, inputs, b, h))
{
}

void HeadBound::weights(const TileVisibility& tile, int first_row, int first_column, TileWeights& p) const
{
  p.noalias() =
      problem.softmax_scale * q.middleRows(first_row, tile.rows) * k.middleRows(first_column, tile.columns).transpose();
  for (int r = 0; r < tile.rows; ++r) {
    p.row(r) = (p.row(r).array() - lse[first_row + r]).exp();
  }
  fill_masked(tile, 0.0, p);
}

}  // namespace flashgate::reference
