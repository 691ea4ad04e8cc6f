#pragma once

#include <initializer_list>

#include "reference/attention.h"

namespace flashgate::reference {

/// Builders for hand-worked cells: one batch, one dimension, scale 1, values written out.

inline Problem small_problem(int seqlen_q, int seqlen_k, Causal causal = Causal::none)
{
  return {.seqlen_q = seqlen_q, .seqlen_k = seqlen_k, .head_dim = 1, .head_dim_v = 1, .causal = causal};
}

/// [1, 1, values, 1]
inline Tensor<double> column_of(std::initializer_list<double> values)
{
  Tensor<double> tensor(1, 1, static_cast<int>(values.size()), 1);
  std::copy(values.begin(), values.end(), tensor.begin());
  return tensor;
}

/// A causal mask of one bound per column.
inline ColumnMask starts(std::initializer_list<int> rows)
{
  return {1, 1, static_cast<int>(rows.size()), 1, std::vector<std::int32_t>(rows)};
}

}  // namespace flashgate::reference
