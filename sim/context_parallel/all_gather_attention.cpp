#include <utility>

#include "sim/context_parallel/rank_attention.h"
#include "sim/context_parallel/sharded_collectives.h"

namespace flashgate::sim {
namespace {

using reference::AttentionGradients;
using reference::AttentionInputs;
using reference::AttentionOutputs;

/// All keys in natural order: the shard that a group of one would hold.
RankRows all_keys(const RankCall& call) { return {{0}, call.problem.seqlen_k}; }

AttentionInputs gather_inputs(RankContext& context, const RankCall& call)
{
  AttentionInputs inputs = call.inputs;
  inputs.k = all_gather_rows(context, call.inputs.k, call.layout);
  inputs.v = all_gather_rows(context, call.inputs.v, call.layout);
  return inputs;
}

}  // namespace

RankAttention all_gather_attention(LocalAttention local, std::optional<reference::Dtype> round_partials)
{
  const auto forward = [local](RankContext& context, const RankCall& call) -> AttentionOutputs {
    const LocalCall mine = local_call(call, all_keys(call));
    return local.forward(mine.problem, mine.mask, gather_inputs(context, call));
  };
  const auto backward = [local, round_partials](RankContext& context, const RankCall& call,
                                                const AttentionOutputs& outputs) -> AttentionGradients {
    const LocalCall mine = local_call(call, all_keys(call));
    AttentionGradients gradients = local.backward(mine.problem, mine.mask, gather_inputs(context, call), outputs);
    gradients.dk = reduce_scatter_rows(context, gradients.dk, call.layout, 2, round_partials);
    gradients.dv = reduce_scatter_rows(context, gradients.dv, call.layout, 2, round_partials);
    gradients.dsink = sum_over_ranks(context, gradients.dsink);
    return gradients;
  };
  return {forward, backward};
}

}  // namespace flashgate::sim
