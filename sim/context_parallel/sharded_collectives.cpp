#include "sim/context_parallel/sharded_collectives.h"

#include <algorithm>
#include <vector>

#include "reference/half.h"

namespace flashgate::sim {

using reference::Tensor;

void round_elements(std::optional<reference::Dtype> dtype, Tensor<double>& tensor)
{
  if (!dtype) return;
  for (double& element : tensor)
    element = reference::round_to(*dtype, element);
}

Tensor<double> all_gather_rows(RankContext& context, const Tensor<double>& shard, RankLayout layout, int axis,
                               Where where)
{
  const int cp_size = context.cp_size();
  const int seqlen = cp_size * extent(shard, axis);
  const std::vector<double> gathered = context.all_gather({shard.data(), shard.size()}, where);
  Tensor<double> whole = with_extent(shard, axis, seqlen);
  Tensor<double> received = shard;
  for (int r = 0; r < cp_size; ++r) {
    std::copy_n(gathered.begin() + r * std::ssize(shard), shard.size(), received.begin());
    undispatch(received, rank_rows(layout, r, cp_size, seqlen), whole, axis);
  }
  return whole;
}

Tensor<double> reduce_scatter_rows(RankContext& context, const Tensor<double>& whole, RankLayout layout, int axis,
                                   std::optional<reference::Dtype> round_partials, Where where)
{
  const int cp_size = context.cp_size();
  // Slices go out in the order of ranks, each in the order of its shard, so what arrives needs no mapping.
  std::vector<double> slices;
  slices.reserve(whole.size());
  for (int r = 0; r < cp_size; ++r) {
    Tensor<double> slice = dispatch(whole, rank_rows(layout, r, cp_size, extent(whole, axis)), axis);
    round_elements(round_partials, slice);
    slices.insert(slices.end(), slice.begin(), slice.end());
  }
  const std::vector<double> sum = context.reduce_scatter(slices, where);
  Tensor<double> shard = with_extent(whole, axis, extent(whole, axis) / cp_size);
  std::copy(sum.begin(), sum.end(), shard.begin());
  round_elements(round_partials, shard);
  return shard;
}

}  // namespace flashgate::sim
