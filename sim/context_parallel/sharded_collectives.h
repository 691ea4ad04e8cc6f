#pragma once

#include <optional>
#include <source_location>

#include "reference/problem.h"
#include "reference/tensor.h"
#include "sim/context_parallel/rank_group.h"
#include "sim/context_parallel/rank_layout.h"

namespace flashgate::sim {

/// Collectives on tensors, along any axis of [batch, heads, seq, dim]. All are collective over the group of `context`
/// with equal shapes on all ranks, and appear in reports under the line of their caller. Lengths that do not divide
/// throw Error, in the rank.

using Where = std::source_location;

/// Shards of all ranks, put together in natural order.
reference::Tensor<double> all_gather_rows(RankContext& context, const reference::Tensor<double>& shard,
                                          RankLayout layout, int axis = 2, Where where = Where::current());

/// The sum over ranks of `whole`, of which each rank gets its shard: added in ascending order of ranks, so the result
/// does not depend on the order of delivery. With `round_partials`, every rank's `whole` is rounded to that dtype
/// before it travels, as it is where kernels return their gradients in it, and the sum once more; without, sums are in
/// double.
reference::Tensor<double> reduce_scatter_rows(RankContext& context, const reference::Tensor<double>& whole,
                                              RankLayout layout, int axis = 2,
                                              std::optional<reference::Dtype> round_partials = {},
                                              Where where = Where::current());

/// Rounds every element to the dtype; without one, does nothing.
void round_elements(std::optional<reference::Dtype> dtype, reference::Tensor<double>& tensor);

/// The field's names (Paddle's context_parallel_utils.py): "balance" is the zigzag layout, the bare name contiguous.
inline reference::Tensor<double> scatter_balance(const reference::Tensor<double>& whole, int cp_rank, int cp_size,
                                                 int axis = 2)
{
  return dispatch(whole, rank_rows(RankLayout::zigzag, cp_rank, cp_size, extent(whole, axis)), axis);
}

inline reference::Tensor<double> all_gather_balance(RankContext& context, const reference::Tensor<double>& shard,
                                                    int axis = 2, Where where = Where::current())
{
  return all_gather_rows(context, shard, RankLayout::zigzag, axis, where);
}

inline reference::Tensor<double> reduce_scatter_any_axis(RankContext& context, const reference::Tensor<double>& whole,
                                                         int axis = 2, Where where = Where::current())
{
  return reduce_scatter_rows(context, whole, RankLayout::contiguous, axis, {}, where);
}

inline reference::Tensor<double> reduce_scatter_any_axis_balance(RankContext& context,
                                                                 const reference::Tensor<double>& whole, int axis = 2,
                                                                 Where where = Where::current())
{
  return reduce_scatter_rows(context, whole, RankLayout::zigzag, axis, {}, where);
}

}  // namespace flashgate::sim
