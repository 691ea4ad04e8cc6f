#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/block_mask.h"
#include "reference/column_mask.h"
#include "reference/problem.h"

namespace flashgate::reference {

/// Checks at the boundary. Each throws flashgate::Error with one line that names the argument, what it is and what was
/// expected; the first violated rule wins, in the order written below. Values of column bounds are never checked: every
/// int32 is legal.

/// Positive lengths, num_heads_kv divides num_heads, finite softmax_scale.
void validate(const Problem& problem);

/// The above, then the mask: bounds_per_column is 0, 1, 2 or 4; agrees with causal (causal 1 or 2, non-causal 2 or 4);
/// batch; heads in {1, num_heads_kv, num_heads}; seqlen_k; number of elements.
void validate(const Problem& problem, const ColumnMask& mask);

/// The above, then the block mask: comes with a column mask, head_dim 128, batch, heads equal to the column mask's,
/// block counts, number of elements, only 0 and 1.
void validate(const Problem& problem, const ColumnMask& mask, const BlockMask& blocks);

/// An index tensor as a caller hands it over, before it is a ColumnMask.
struct IndexTensor
{
  std::string dtype;                ///< "int32" is the only legal one
  std::vector<std::int64_t> shape;  ///< [batch, heads, seqlen_k, bounds_per_column]
};

/// dtype, rank, then the rules of validate(problem, mask) that concern shape.
void validate(const Problem& problem, const IndexTensor& indices);

}  // namespace flashgate::reference
