#include "sim/context_parallel/context_parallel_attention.h"

#include <vector>

namespace flashgate::sim {
namespace {

using reference::AttentionGradients;
using reference::AttentionInputs;
using reference::AttentionOutputs;
using reference::ColumnMask;
using reference::Problem;
using reference::Tensor;

/// All calls are cut before any rank runs, so that lengths that do not divide throw here and not in a rank.
std::vector<RankCall> cut(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                          const ContextParallelOptions& options)
{
  std::vector<RankCall> calls;
  for (int r = 0; r < options.cp_size; ++r)
    calls.push_back(make_rank_call(problem, mask, inputs, options.layout, r, options.cp_size));
  return calls;
}

std::size_t index(const RankContext& context) { return static_cast<std::size_t>(context.cp_rank()); }

AttentionOutputs put_together(const Problem& p, const std::vector<RankCall>& calls,
                              const std::vector<AttentionOutputs>& shards)
{
  AttentionOutputs whole{Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim_v),
                         Tensor<double>(p.batch, p.num_heads, p.seqlen_q, 1)};
  for (std::size_t r = 0; r < calls.size(); ++r) {
    undispatch(shards[r].o, calls[r].q_rows, whole.o);
    undispatch(shards[r].lse, calls[r].q_rows, whole.lse);
  }
  return whole;
}

AttentionGradients put_together(const Problem& p, const std::vector<RankCall>& calls,
                                const std::vector<AttentionGradients>& shards)
{
  AttentionGradients whole{Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim),
                           Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim),
                           Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim_v), shards.front().dsink};
  for (std::size_t r = 0; r < calls.size(); ++r) {
    undispatch(shards[r].dq, calls[r].q_rows, whole.dq);
    undispatch(shards[r].dk, calls[r].k_rows, whole.dk);
    undispatch(shards[r].dv, calls[r].k_rows, whole.dv);
  }
  return whole;
}

}  // namespace

ContextParallelOutputs context_parallel_forward(const Problem& problem, const ColumnMask& mask,
                                                const AttentionInputs& inputs, const RankAttention& attention,
                                                const ContextParallelOptions& options)
{
  const std::vector<RankCall> calls = cut(problem, mask, inputs, options);
  std::vector<AttentionOutputs> shards(calls.size());
  const auto rank_main = [&](RankContext& context) {
    shards[index(context)] = attention.forward(context, calls[index(context)]);
  };
  RankGroupResult result = run_ranks(options.cp_size, rank_main, options.group);
  if (result.failure) return {std::move(result.failure), {}};
  return {std::nullopt, put_together(problem, calls, shards)};
}

ContextParallelGradients context_parallel_backward(const Problem& problem, const ColumnMask& mask,
                                                   const AttentionInputs& inputs, const AttentionOutputs& outputs,
                                                   const RankAttention& attention,
                                                   const ContextParallelOptions& options)
{
  const std::vector<RankCall> calls = cut(problem, mask, inputs, options);
  std::vector<AttentionGradients> shards(calls.size());
  const auto rank_main = [&](RankContext& context) {
    const RankCall& call = calls[index(context)];
    const AttentionOutputs mine{dispatch(outputs.o, call.q_rows), dispatch(outputs.lse, call.q_rows)};
    shards[index(context)] = attention.backward(context, call, mine);
  };
  RankGroupResult result = run_ranks(options.cp_size, rank_main, options.group);
  if (result.failure) return {std::move(result.failure), {}};
  return {std::nullopt, put_together(problem, calls, shards)};
}

}  // namespace flashgate::sim
