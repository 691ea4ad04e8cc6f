#pragma once

#include <functional>
#include <optional>

#include "reference/attention.h"
#include "sim/context_parallel/rank_group.h"
#include "sim/context_parallel/rank_layout.h"

namespace flashgate::sim {

/// Attention on one device, as it comes from outside: the oracle, the rounded variant or a kernel. Called with a
/// problem that is not causal, lengths of the rank's shard, and a mask whose bounds are rows of that shard. Called by
/// several ranks at once if the group's schedule is concurrent. LSE natural log, -inf for a fully masked row.
struct LocalAttention
{
  using Forward = std::function<reference::AttentionOutputs(const reference::Problem&, const reference::ColumnMask&,
                                                            const reference::AttentionInputs&)>;
  using Backward = std::function<reference::AttentionGradients(const reference::Problem&, const reference::ColumnMask&,
                                                               const reference::AttentionInputs&,
                                                               const reference::AttentionOutputs&)>;
  Forward forward;
  Backward backward;
};

/// One rank's view of a call.
struct RankCall
{
  reference::Problem problem;  ///< the whole call's lengths; not causal
  reference::ColumnMask mask;  ///< all columns, bounds in rows of the whole sequence
  RankLayout layout = RankLayout::zigzag;
  RankRows q_rows;                    ///< rows of Q, O, LSE, dO, dQ that this rank holds
  RankRows k_rows;                    ///< rows of K, V, dK, dV that this rank holds
  reference::AttentionInputs inputs;  ///< shards; the sink is whole on every rank
};

/// Cuts a call for one rank: encodes a causal mask non-causally and takes the shards. Throws Error if lengths do not
/// divide. REQUIRES: what reference::validate checks.
RankCall make_rank_call(const reference::Problem& problem, const reference::ColumnMask& mask,
                        const reference::AttentionInputs& inputs, RankLayout layout, int cp_rank, int cp_size);

/// What a rank runs, its part of a context-parallel method. Both return shards: O, LSE and dQ of q_rows, dK and dV of
/// k_rows; dsink is the sum over ranks. `outputs` are the shards that forward returned.
struct RankAttention
{
  std::function<reference::AttentionOutputs(RankContext&, const RankCall&)> forward;
  std::function<reference::AttentionGradients(RankContext&, const RankCall&, const reference::AttentionOutputs&)>
      backward;
};

/// Gathers K and V to natural order, runs the rank's rows against all keys with localised columns, and in backward
/// reduce-scatters dK and dV (reduce_scatter_rows, which says what round_partials does). The field's method for both
/// layouts. O, LSE and dQ need no merging: every row sees its keys in the order one rank sees them.
RankAttention all_gather_attention(LocalAttention local, std::optional<reference::Dtype> round_partials = {});

/// Ring (P2P): K and V of one rank at a time go round, rank r to r + 1; forward merges the partial O and LSE by
/// reference::merge_partial, in the order rank r, r - 1, ... The sink counts at the first step only. Backward hands
/// every step the K and V that are there now together with the merged O and LSE, and sends dK and dV along with K and
/// V, one step further, home. round_partials rounds each step's dQ, dK and dV, and their sums at the end.
RankAttention ring_attention(LocalAttention local, std::optional<reference::Dtype> round_partials = {});

/// Adds up dsink over ranks, ascending. Collective; an empty one stays empty and is no collective.
std::vector<double> sum_over_ranks(RankContext& context, const std::vector<double>& dsink);

/// The rank's rows against the keys of k_rows: the problem and the localised columns of that local call.
struct LocalCall
{
  reference::Problem problem;
  reference::ColumnMask mask;
};
LocalCall local_call(const RankCall& call, const RankRows& k_rows);

}  // namespace flashgate::sim
