#pragma once

#include <Eigen/Core>

#include "reference/attention.h"
#include "reference/mask_expand.h"

namespace flashgate::reference {

/// The relative errors of one (batch, head)'s rows that error_bound builds on; symbols as in docs/tolerances.md.

/// Relative error of one fp32 operation, twice the unit roundoff: tensor cores may truncate where others round.
constexpr double kFp32Epsilon = 0x1p-23;

/// 1 + r for a product of factors (1 + e) whose |e| sum to `sum`: expm1(sum), never less than the exact excess.
double compounded(double sum);

struct RowError
{
  Eigen::VectorXd visible;  ///< n_i: visible keys
  Eigen::VectorXd
      magnitude;  ///< M_i: softmax_scale |q_i| max |k_j| over visible keys, at least |sink|: bounds every |logit|
  Eigen::VectorXd score;        ///< absolute error of a score, as an exponent
  Eigen::VectorXd exponential;  ///< the same after exp and the online rescales of the forward
};

/// One pass over the visible tiles, no products.
RowError row_error(const Problem& problem, const MaskPair& mask, const AttentionInputs& inputs, int b, int h);

}  // namespace flashgate::reference
