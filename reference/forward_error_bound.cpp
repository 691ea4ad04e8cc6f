#include <cmath>
#include <limits>

#include "reference/error_bound.h"
#include "reference/head_bound.h"
#include "reference/head_workers.h"

namespace flashgate::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct HeadForwardBound : HeadBound
{
  using HeadBound::HeadBound;

  bool merges() const { return options.key_parts > 1; }

  /// Relative error of the row sum of row i.
  double sum_error(int i) const { return rows.exponential[i] + (rows.visible[i] + kSumRoundings) * kFp32Epsilon; }

  /// Error of the LSE of one part of the keys, whose LSE lies in [-M, M + log n]; 0 if the keys come as one.
  double part_lse_error(int i) const
  {
    if (!merges() || rows.visible[i] == 0) return 0;
    const double largest = rows.magnitude[i] + std::log(rows.visible[i]);
    return sum_error(i) + kSumRoundings * kFp32Epsilon * (largest + rows.magnitude[i] + 1.0);
  }

  /// Relative error of P as the forward multiplies it, numerator and denominator together, accumulation included. A
  /// part that is merged carries the error of its LSE twice (its own and the merged one), and was stored in the dtype.
  double weight_error(int i) const
  {
    const double sums = (2.0 * rows.visible[i] + kSumRoundings) * kFp32Epsilon;
    const double softmax = compounded(2.0 * rows.exponential[i] + sums + 2.0 * part_lse_error(i));
    const double roundings = compounded((merges() ? 2.0 : 1.0) * storage.u);
    return softmax + roundings * (1.0 + softmax);
  }

  /// Absolute error of LSE: the relative error of the row sum, and fp32 roundings of maximum, logarithm and result.
  double lse_bound(int i) const
  {
    if (lse[i] == -kInfinity) return 0;
    const double stored = kSumRoundings * kFp32Epsilon * (std::fabs(lse[i]) + rows.magnitude[i] + 1.0);
    return compounded(sum_error(i) + part_lse_error(i)) + stored;
  }

  /// Adds the unstored bound of O: sum over visible keys of (P e + eta) |v|.
  void add_to(HeadRows bound) const
  {
    TileWeights w;
    for_each_tile([&](const TileVisibility& tile, int first_row, int first_column) {
      weights(tile, first_row, first_column, w);
      for (int r = 0; r < tile.rows; ++r) {
        w.row(r) = (w.row(r).array() * weight_error(first_row + r) + storage.eta).eval();
      }
      fill_masked(tile, 0.0, w);
      const HeadMatrix<double> v_abs = v.middleRows(first_column, tile.columns).cwiseAbs();
      add_over_keys(tile, w, v_abs, bound.middleRows(first_row, tile.rows));
    });
  }
};

}  // namespace

ForwardBound forward_error_bound(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                                 const AttentionOutputs& outputs, const BoundOptions& options)
{
  validate(problem, mask, inputs, {.block_mask = options.block_mask}, false);
  validate(problem, outputs);
  const MaskPair masks{mask, options.block_mask};
  ForwardBound bound{Tensor<double>(problem.batch, problem.num_heads, problem.seqlen_q, problem.head_dim_v),
                     Tensor<double>(problem.batch, problem.num_heads, problem.seqlen_q, 1)};
  for_each_head(problem.batch, problem.num_heads, options.threads, [&](int b, int h) {
    const HeadForwardBound head(problem, masks, inputs, outputs, options, b, h);
    head.add_to(bound.o.head(b, h));
    for (int i = 0; i < problem.seqlen_q; ++i) {
      bound.lse(b, h, i, 0) = head.lse_bound(i);
    }
  });
  const Storage storage(problem.dtype);
  const double parts = options.key_parts > 1 ? options.key_parts * storage.eta : 0.0;
  storage.store_all(outputs.o, 1.0, parts, bound.o);
  return bound;
}

}  // namespace flashgate::reference
