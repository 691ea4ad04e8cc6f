#include "tests/sim/context_parallel_saboteurs.h"

#include <algorithm>
#include <numbers>
#include <utility>

#include "sim/context_parallel/index_map.h"
#include "sim/context_parallel/sharded_collectives.h"
#include "tests/sim/context_parallel_case.h"

namespace flashgate::sim {
namespace {

using namespace reference;

using Forward = decltype(RankAttention::forward);
using Backward = decltype(RankAttention::backward);

bool is_faulty(const RankContext& context) { return context.cp_rank() == kFaultyRank; }

RankAttention with_forward(Forward forward)
{
  RankAttention attention = all_gather_attention(oracle());
  attention.forward = std::move(forward);
  return attention;
}

RankAttention with_backward(Backward backward)
{
  RankAttention attention = all_gather_attention(oracle());
  attention.backward = std::move(backward);
  return attention;
}

/// The all-gather forward on a call that was tampered with.
RankAttention tampered(std::function<void(const RankContext&, RankCall&)> tamper)
{
  return with_forward([tamper](RankContext& context, const RankCall& call) {
    RankCall changed = call;
    tamper(context, changed);
    return all_gather_attention(oracle()).forward(context, changed);
  });
}

/// The all-gather forward whose result was tampered with.
RankAttention tampered_outputs(std::function<void(const RankContext&, AttentionOutputs&)> tamper)
{
  return with_forward([tamper](RankContext& context, const RankCall& call) {
    AttentionOutputs outputs = all_gather_attention(oracle()).forward(context, call);
    tamper(context, outputs);
    return outputs;
  });
}

/// The all-gather forward over keys that were gathered some other way.
RankAttention gathered(std::function<void(RankContext&, AttentionInputs&)> gather)
{
  return with_forward([gather](RankContext& context, const RankCall& call) {
    AttentionInputs inputs = call.inputs;
    gather(context, inputs);
    const LocalCall mine = local_call(call, {{0}, call.problem.seqlen_k});
    return attention_forward(mine.problem, mine.mask, inputs);
  });
}

void gather_in_two(RankContext& context, Tensor<double>& first, Tensor<double>& second, RankLayout layout)
{
  first = all_gather_rows(context, first, layout);
  second = all_gather_rows(context, second, layout);
}

/// The all-gather backward, with its dK and dV reduced some other way.
RankAttention reduced(std::function<Tensor<double>(RankContext&, const Tensor<double>&)> reduce)
{
  return with_backward([reduce](RankContext& context, const RankCall& call, const AttentionOutputs& outputs) {
    AttentionInputs inputs = call.inputs;
    gather_in_two(context, inputs.k, inputs.v, call.layout);
    const LocalCall mine = local_call(call, {{0}, call.problem.seqlen_k});
    AttentionGradients gradients = attention_backward(mine.problem, mine.mask, inputs, outputs);
    gradients.dk = reduce(context, gradients.dk);
    gradients.dv = reduce(context, gradients.dv);
    return gradients;
  });
}

/// The faulty rank holds its later chunk first and maps the columns by the field's formula without asking.
AttentionOutputs descending_forward(RankContext& context, const RankCall& call)
{
  RankRows rows = call.q_rows;
  if (is_faulty(context)) std::reverse(rows.chunk_ids.begin(), rows.chunk_ids.end());
  const RankRows swap{{1, 0}, rows.chunk_size};
  AttentionInputs inputs = call.inputs;
  gather_in_two(context, inputs.k, inputs.v, call.layout);
  if (is_faulty(context)) inputs.q = dispatch(inputs.q, swap);
  LocalCall mine = local_call(call, {{0}, call.problem.seqlen_k});
  mine.mask = call.mask;
  for (std::int32_t& bound : mine.mask.startend_row_indices)
    bound = local_bound(rows, bound);
  AttentionOutputs outputs = attention_forward(mine.problem, mine.mask, inputs);
  if (is_faulty(context)) outputs = {dispatch(outputs.o, swap), dispatch(outputs.lse, swap)};
  return outputs;
}

/// The local call is causal: bottom-right of the shard, whatever rows it holds.
AttentionOutputs causal_local_forward(RankContext& context, const RankCall& call)
{
  AttentionInputs inputs = call.inputs;
  gather_in_two(context, inputs.k, inputs.v, call.layout);
  Problem problem = local_call(call, {{0}, call.problem.seqlen_k}).problem;
  problem.causal = Causal::bottom_right;
  return attention_forward(problem, {}, inputs);
}

AttentionGradients early_backward(RankContext& context, const RankCall& call, const AttentionOutputs& outputs)
{
  if (is_faulty(context)) return {};
  return all_gather_attention(oracle()).backward(context, call, outputs);
}

std::vector<Saboteur> of_mask_and_layout()
{
  return {
      {"descending chunks on one rank, mapped by the formula", with_forward(descending_forward), "o"},
      {"descending chunks on one rank, through localise", tampered([](const RankContext& context, RankCall& call) {
         if (is_faulty(context)) std::reverse(call.q_rows.chunk_ids.begin(), call.q_rows.chunk_ids.end());
       }),
       "rank_left"},
      {"columns localised for the neighbour", tampered([](const RankContext& context, RankCall& call) {
         if (is_faulty(context))
           call.q_rows = rank_rows(call.layout, kFaultyRank + 1, context.cp_size(), call.problem.seqlen_q);
       }),
       "o"},
      {"causal dropped, no columns in its place", tampered([](const RankContext&, RankCall& call) { call.mask = {}; }),
       "o"},
      {"local call causal", with_forward(causal_local_forward), "o"},
      {"K and V left in the order of ranks", gathered([](RankContext& context, AttentionInputs& inputs) {
         gather_in_two(context, inputs.k, inputs.v, RankLayout::contiguous);
       }),
       "o"},
      {"second chunk skipped", tampered_outputs([](const RankContext& context, AttentionOutputs& outputs) {
         if (is_faulty(context)) outputs.o.head(0, 0).bottomRows(outputs.o.seq() / 2).setZero();
       }),
       "o"},
      {"LSE in base 2", tampered_outputs([](const RankContext&, AttentionOutputs& outputs) {
         for (double& lse : outputs.lse)
           lse /= std::numbers::ln2;
       }),
       "lse"},
  };
}

std::vector<Saboteur> of_collectives()
{
  return {
      {"V gathered before K on one rank, sizes differ", gathered([](RankContext& context, AttentionInputs& inputs) {
         const bool swap = is_faulty(context);
         gather_in_two(context, swap ? inputs.v : inputs.k, swap ? inputs.k : inputs.v, RankLayout::zigzag);
       }),
       "mismatch"},
      {"gathers half of K a second time for V on one rank, sizes agree",
       gathered([](RankContext& context, AttentionInputs& inputs) {
         if (is_faulty(context)) std::copy_n(inputs.k.begin(), inputs.v.size(), inputs.v.begin());
         gather_in_two(context, inputs.k, inputs.v, RankLayout::zigzag);
       }),
       "o"},
      {"all_gather where the others reduce-scatter", reduced([](RankContext& context, const Tensor<double>& whole) {
         if (is_faulty(context)) context.all_gather({whole.data(), whole.size()});
         return reduce_scatter_any_axis_balance(context, whole);
       }),
       "mismatch"},
      {"dK and dV scattered as contiguous rows", reduced([](RankContext& context, const Tensor<double>& whole) {
         return reduce_scatter_any_axis(context, whole);
       }),
       "dk"},
      {"dK and dV kept, not summed", reduced([](RankContext& context, const Tensor<double>& whole) {
         return scatter_balance(whole, context.cp_rank(), context.cp_size());
       }),
       "dk"},
      {"dies before its all_to_all",
       all_gather_attention(oracle()),
       "rank_left",
       {Schedule::one_at_a_time,
        1,
        {{RankFault::Kind::delay, kFaultyRank, 2, 1000}, {RankFault::Kind::death, kFaultyRank, 2, 0}}}},
      {"returns without taking part", with_backward(early_backward), "rank_left"},
  };
}

}  // namespace

std::vector<Saboteur> saboteurs()
{
  std::vector<Saboteur> all = of_mask_and_layout();
  for (auto& more : {of_collectives(), ring_saboteurs()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace flashgate::sim
