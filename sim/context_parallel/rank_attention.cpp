#include "sim/context_parallel/rank_attention.h"

#include "sim/context_parallel/index_map.h"

namespace flashgate::sim {

RankCall make_rank_call(const reference::Problem& problem, const reference::ColumnMask& mask,
                        const reference::AttentionInputs& inputs, RankLayout layout, int cp_rank, int cp_size)
{
  RankCall call{problem,
                encode_noncausal(problem, mask),
                layout,
                rank_rows(layout, cp_rank, cp_size, problem.seqlen_q),
                rank_rows(layout, cp_rank, cp_size, problem.seqlen_k),
                {}};
  call.problem.causal = reference::Causal::none;
  call.inputs.q = dispatch(inputs.q, call.q_rows);
  call.inputs.k = dispatch(inputs.k, call.k_rows);
  call.inputs.v = dispatch(inputs.v, call.k_rows);
  // A forward call may come without dO.
  if (inputs.d_o.size() > 0) call.inputs.d_o = dispatch(inputs.d_o, call.q_rows);
  call.inputs.sink = inputs.sink;
  return call;
}

LocalCall local_call(const RankCall& call, const RankRows& k_rows)
{
  LocalCall local{call.problem, select_columns(localise(call.problem, call.mask, call.q_rows), k_rows)};
  local.problem.seqlen_q = call.q_rows.count();
  local.problem.seqlen_k = k_rows.count();
  return local;
}

std::vector<double> sum_over_ranks(RankContext& context, const std::vector<double>& dsink)
{
  if (dsink.empty()) return {};
  const std::vector<double> parts = context.all_gather(dsink);
  std::vector<double> sum(dsink.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    sum[i % sum.size()] += parts[i];
  return sum;
}

}  // namespace flashgate::sim
