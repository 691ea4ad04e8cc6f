#include <algorithm>
#include <optional>
#include <vector>

#include "tests/sim/context_parallel_case.h"
#include "tests/sim/context_parallel_saboteurs.h"

namespace flashgate::sim {
namespace {

using namespace reference;

int right_of(const RankContext& context) { return (context.cp_rank() + 1) % context.cp_size(); }
int left_of(const RankContext& context) { return (context.cp_rank() + context.cp_size() - 1) % context.cp_size(); }

/// A ring whose ranks answer a step's local call through `answer`, which sees the calls of its own rank only.
template <typename Answer>
RankAttention ring_answering(Answer answer)
{
  RankAttention ring = ring_attention(oracle());
  ring.backward = [answer](RankContext& context, const RankCall& call, const AttentionOutputs& outputs) {
    LocalAttention local = oracle();
    local.backward = answer;
    return ring_attention(local).backward(context, call, outputs);
  };
  return ring;
}

/// A ring forward that takes in its parts some other way than by their LSE.
RankAttention ring_combining(void (*combine)(const AttentionOutputs& part, AttentionOutputs& merged))
{
  RankAttention ring = ring_attention(oracle());
  ring.forward = [combine](RankContext& context, const RankCall& call) {
    std::optional<AttentionOutputs> merged;
    LocalAttention local = oracle();
    local.forward = [&](const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs) {
      AttentionOutputs part = attention_forward(problem, mask, inputs);
      if (merged) {
        combine(part, *merged);
      } else {
        merged = part;
      }
      return part;
    };
    ring_attention(local).forward(context, call);
    return *merged;
  };
  return ring;
}

/// Rows of K go round the ring with sends and receives in a given order and direction.
RankAttention ring_moving(void (*move)(RankContext& context, const Tensor<double>& k))
{
  RankAttention ring = ring_attention(oracle());
  ring.forward = [move](RankContext& context, const RankCall& call) {
    for (int step = 1; step < context.cp_size(); ++step)
      move(context, call.inputs.k);
    return AttentionOutputs{};
  };
  return ring;
}

/// dK is sent back to the rank that had it before its last hop.
RankAttention ring_one_step_short()
{
  RankAttention ring = ring_attention(oracle());
  ring.backward = [](RankContext& context, const RankCall& call, const AttentionOutputs& outputs) {
    AttentionGradients gradients = ring_attention(oracle()).backward(context, call, outputs);
    context.send(left_of(context), {gradients.dk.data(), gradients.dk.size()});
    const std::vector<double> dk = context.receive(right_of(context), gradients.dk.size());
    std::copy(dk.begin(), dk.end(), gradients.dk.begin());
    return gradients;
  };
  return ring;
}

/// Every step uses the LSE of the keys that are there instead of the merged one.
AttentionGradients step_lse_backward(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                                     const AttentionOutputs& merged)
{
  return attention_backward(problem, mask, inputs, {merged.o, attention_forward(problem, mask, inputs).lse});
}

}  // namespace

std::vector<Saboteur> ring_saboteurs()
{
  return {
      {"parts not merged: the last one stays",
       ring_combining([](const AttentionOutputs& part, AttentionOutputs& merged) { merged = part; }), "o"},
      {"parts averaged, LSE ignored", ring_combining([](const AttentionOutputs& part, AttentionOutputs& merged) {
         merged.o.head(0, 0) = (merged.o.head(0, 0) + part.o.head(0, 0)) / 2;
       }),
       "o"},
      {"backward with each step's own LSE", ring_answering(step_lse_backward), "dq"},
      {"backward with the K and V of step 0",
       ring_answering([saved = std::optional<AttentionInputs>()](const Problem& problem, const ColumnMask& mask,
                                                                 const AttentionInputs& inputs,
                                                                 const AttentionOutputs& merged) mutable {
         if (!saved) saved = inputs;
         return attention_backward(problem, mask, *saved, merged);
       }),
       "dq"},
      {"dK one step short of home", ring_one_step_short(), "dk"},
      {"one rank turns the other way", ring_moving([](RankContext& context, const Tensor<double>& k) {
         const bool faulty = context.cp_rank() == kFaultyRank;
         context.send(faulty ? left_of(context) : right_of(context), {k.data(), k.size()});
         context.receive(faulty ? right_of(context) : left_of(context), k.size());
       }),
       "all_blocked"},
      {"everyone receives before sending", ring_moving([](RankContext& context, const Tensor<double>& k) {
         context.receive(left_of(context), k.size());
         context.send(right_of(context), {k.data(), k.size()});
       }),
       "all_blocked"},
  };
}

}  // namespace flashgate::sim
