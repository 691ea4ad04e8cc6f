#include <algorithm>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "reference/lse_merge.h"
#include "sim/context_parallel/rank_attention.h"
#include "sim/context_parallel/sharded_collectives.h"

namespace flashgate::sim {
namespace {

using reference::AttentionGradients;
using reference::AttentionInputs;
using reference::AttentionOutputs;
using reference::Dtype;
using reference::Tensor;

/// Sends the tensors to the next rank in one message and puts the previous rank's in their places.
void rotate(RankContext& context, std::initializer_list<Tensor<double>*> tensors)
{
  const int cp_size = context.cp_size();
  std::vector<double> packed;
  for (const Tensor<double>* tensor : tensors)
    packed.insert(packed.end(), tensor->begin(), tensor->end());
  // Send first: it does not wait, and a ring in which everyone receives first never moves.
  context.send((context.cp_rank() + 1) % cp_size, packed);
  packed = context.receive((context.cp_rank() + cp_size - 1) % cp_size, packed.size());
  auto next = packed.begin();
  for (Tensor<double>* tensor : tensors) {
    std::copy_n(next, tensor->size(), tensor->begin());
    next += std::ssize(*tensor);
  }
}

void add(const Tensor<double>& part, Tensor<double>& sum)
{
  std::transform(sum.begin(), sum.end(), part.begin(), sum.begin(), std::plus<>());
}

/// Walks the ring as one rank sees it: which rank's keys are here at a step, and the local call against them.
struct Ring
{
  RankContext& context;
  const RankCall& call;
  AttentionInputs inputs;  ///< Q and dO stay; K and V are those that are here now

  Ring(RankContext& context_, const RankCall& call_) : context(context_), call(call_), inputs(call_.inputs) {}

  LocalCall step(int number) const
  {
    const int owner = (context.cp_rank() + context.cp_size() - number) % context.cp_size();
    return local_call(call, rank_rows(call.layout, owner, context.cp_size(), call.problem.seqlen_k));
  }
};

AttentionOutputs forward(const LocalAttention& local, RankContext& context, const RankCall& call)
{
  Ring ring(context, call);
  AttentionOutputs merged;
  for (int number = 0; number < context.cp_size(); ++number) {
    const LocalCall step = ring.step(number);
    AttentionOutputs part = local.forward(step.problem, step.mask, ring.inputs);
    if (number == 0) {
      merged = std::move(part);
      ring.inputs.sink.clear();  // one part has counted it
    } else {
      merge_partial(part, merged);
    }
    if (number + 1 < context.cp_size()) rotate(context, {&ring.inputs.k, &ring.inputs.v});
  }
  return merged;
}

void round_gradients(std::optional<Dtype> dtype, AttentionGradients& gradients)
{
  round_elements(dtype, gradients.dq);
  round_elements(dtype, gradients.dk);
  round_elements(dtype, gradients.dv);
}

AttentionGradients backward(const LocalAttention& local, std::optional<Dtype> round_partials, RankContext& context,
                            const RankCall& call, const AttentionOutputs& outputs)
{
  Ring ring(context, call);
  AttentionGradients sum;
  for (int number = 0; number < context.cp_size(); ++number) {
    const LocalCall step = ring.step(number);
    AttentionGradients part = local.backward(step.problem, step.mask, ring.inputs, outputs);
    round_gradients(round_partials, part);
    if (number == 0) {
      sum = std::move(part);
      ring.inputs.sink.clear();
    } else {
      add(part.dq, sum.dq);
      add(part.dk, sum.dk);
      add(part.dv, sum.dv);
    }
    // Also after the last step: dK and dV belong to the next rank then.
    rotate(context, {&ring.inputs.k, &ring.inputs.v, &sum.dk, &sum.dv});
  }
  round_gradients(round_partials, sum);
  sum.dsink = sum_over_ranks(context, sum.dsink);
  return sum;
}

}  // namespace

RankAttention ring_attention(LocalAttention local, std::optional<Dtype> round_partials)
{
  return {
      [local](RankContext& context, const RankCall& call) { return forward(local, context, call); },
      [local, round_partials](RankContext& context, const RankCall& call, const AttentionOutputs& outputs) {
        return backward(local, round_partials, context, call, outputs);
      },
  };
}

}  // namespace flashgate::sim
