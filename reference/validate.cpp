#include "reference/validate.h"

#include <cmath>
#include <limits>
#include <string>

#include "reference/error.h"

namespace flashgate::reference {
namespace {

void require(bool holds, const std::string& line)
{
  if (!holds) throw Error(line);
}

void require_positive(int value, const char* what)
{
  require(value > 0, std::string(what) + " must be positive, got " + std::to_string(value));
}

void require_equal(std::int64_t value, std::int64_t expected, const std::string& what)
{
  require(value == expected, what + " must be " + std::to_string(expected) + ", got " + std::to_string(value));
}

/// Shape rules of startend_row_indices, whatever holds the data.
void require_index_shape(const Problem& problem, std::int64_t batch, std::int64_t heads, std::int64_t seqlen_k,
                         std::int64_t bounds)
{
  const bool causal = problem.causal != Causal::none;
  const bool fits = causal ? bounds == 1 || bounds == 2 : bounds == 2 || bounds == 4;
  require(fits, std::string("startend_row_indices: the last dimension must be ") + (causal ? "1 or 2" : "2 or 4") +
                    " when causal is " + std::string(name(problem.causal)) + ", got " + std::to_string(bounds));
  require_equal(batch, problem.batch, "startend_row_indices: dimension 0 (batch)");
  const bool head_count = heads == 1 || heads == problem.num_heads_kv || heads == problem.num_heads;
  require(head_count, "startend_row_indices: dimension 1 (heads) must be 1, " + std::to_string(problem.num_heads_kv) +
                          " or " + std::to_string(problem.num_heads) + ", got " + std::to_string(heads));
  require_equal(seqlen_k, problem.seqlen_k, "startend_row_indices: dimension 2 (seqlen_k)");
}

/// Rules of the block mask; those of problem and column mask have been checked.
void require_blocks(const Problem& problem, const ColumnMask& mask, const BlockMask& blocks)
{
  require(!mask.empty(), "block_mask: needs startend_row_indices");
  require_equal(problem.head_dim, kBlockMaskSize, "block_mask: head_dim");
  require_equal(blocks.batch, problem.batch, "block_mask: dimension 0 (batch)");
  require_equal(blocks.heads, mask.heads, "block_mask: dimension 1 (heads of startend_row_indices)");
  require_equal(blocks.block_rows, block_count(problem.seqlen_q), "block_mask: dimension 2 (blocks of seqlen_q)");
  require_equal(blocks.block_columns, block_count(problem.seqlen_k), "block_mask: dimension 3 (blocks of seqlen_k)");
  const std::int64_t expected = std::int64_t{blocks.batch} * blocks.heads * blocks.block_rows * blocks.block_columns;
  require_equal(std::ssize(blocks.keep), expected, "block_mask: number of elements");
  for (const std::int32_t keep : blocks.keep) {
    require(keep == 0 || keep == 1, "block_mask: elements must be 0 or 1, got " + std::to_string(keep));
  }
}

}  // namespace

void validate(const Problem& problem)
{
  require_positive(problem.batch, "batch");
  require_positive(problem.num_heads, "num_heads");
  require_positive(problem.num_heads_kv, "num_heads_kv");
  require_positive(problem.seqlen_q, "seqlen_q");
  require_positive(problem.seqlen_k, "seqlen_k");
  require_positive(problem.head_dim, "head_dim");
  require_positive(problem.head_dim_v, "head_dim_v");
  require(problem.num_heads % problem.num_heads_kv == 0, "num_heads must be a multiple of num_heads_kv, got " +
                                                             std::to_string(problem.num_heads) + " and " +
                                                             std::to_string(problem.num_heads_kv));
  require(std::isfinite(problem.softmax_scale), "softmax_scale must be finite");
}

void validate(const Problem& problem, const ColumnMask& mask)
{
  validate(problem);
  if (mask.empty()) {
    require(mask.startend_row_indices.empty(), "startend_row_indices: has elements but bounds_per_column is 0");
    return;
  }
  require_index_shape(problem, mask.batch, mask.heads, mask.seqlen_k, mask.bounds_per_column);
  const std::int64_t expected = std::int64_t{mask.batch} * mask.heads * mask.seqlen_k * mask.bounds_per_column;
  require_equal(std::ssize(mask.startend_row_indices), expected, "startend_row_indices: number of elements");
}

void validate(const Problem& problem, const ColumnMask& mask, const BlockMask& blocks)
{
  validate(problem, mask);
  require_blocks(problem, mask, blocks);
}

void validate(const Problem& problem, const IndexTensor& indices)
{
  validate(problem);
  require(indices.dtype == "int32", "startend_row_indices: dtype must be int32, got " + indices.dtype);
  require(indices.shape.size() == 4, "startend_row_indices: rank must be 4 (batch, heads, seqlen_k, bounds), got " +
                                         std::to_string(indices.shape.size()));
  require_index_shape(problem, indices.shape[0], indices.shape[1], indices.shape[2], indices.shape[3]);
}

}  // namespace flashgate::reference
