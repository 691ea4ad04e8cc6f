#include "tests/sim/context_parallel_case.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "reference/input_fill.h"
#include "reference/mask_expand.h"

namespace flashgate::sim {
namespace {

using reference::AttentionGradients;
using reference::AttentionInputs;
using reference::AttentionOutputs;
using reference::ColumnMask;
using reference::Problem;
using reference::Tensor;

using Five = std::array<const Tensor<double>*, 5>;
using Same = std::function<bool(std::size_t tensor, double actual, double expected)>;

int label(const Problem& problem, int j) { return j % ((problem.seqlen_k + 1) / 2); }

void fill_small_integers(std::mt19937_64& generator, Tensor<double>& tensor)
{
  for (double& element : tensor)
    element = 2.0 * static_cast<double>(generator() % 15) - 14.0;
}

/// A visible key of the row, drawn; any key if there is none.
int drawn_key(const Problem& problem, const ColumnMask& mask, int b, int h, int i, std::mt19937_64& generator)
{
  std::vector<int> visible;
  for (int j = 0; j < problem.seqlen_k; ++j) {
    if (!masked(problem, {mask}, b, h, i, j)) visible.push_back(j);
  }
  const std::uint64_t draw = generator();
  return visible.empty() ? 0 : visible[draw % visible.size()];
}

/// q.k = -1024 (g_q - g_k)^2
void set_query(Tensor<double>& q, int b, int h, int i, double g)
{
  q(b, h, i, 0) = 1024 * g * g;
  q(b, h, i, 1) = 1024 * g;
  q(b, h, i, 2) = 1024;
}

void set_key(Tensor<double>& k, int b, int h, int j, double g)
{
  k(b, h, j, 0) = -1;
  k(b, h, j, 1) = 2 * g;
  k(b, h, j, 2) = -g * g;
  k(b, h, j, 3) = j + 1;  // no query looks at it: keys of one label score alike and still differ, or dQ would vanish
}

AttentionInputs exact_inputs(const Problem& p, const ColumnMask& mask, std::uint64_t seed)
{
  AttentionInputs inputs{Tensor<double>(p.batch, p.num_heads, p.seqlen_q, kExactHeadDim),
                         Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k, kExactHeadDim),
                         Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim_v),
                         Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim_v)};
  std::mt19937_64 generator(seed);
  fill_small_integers(generator, inputs.v);
  fill_small_integers(generator, inputs.d_o);
  for (int b = 0; b < p.batch; ++b) {
    for (int h = 0; h < p.num_heads_kv; ++h) {
      for (int j = 0; j < p.seqlen_k; ++j)
        set_key(inputs.k, b, h, j, label(p, j));
    }
    for (int h = 0; h < p.num_heads; ++h) {
      for (int i = 0; i < p.seqlen_q; ++i)
        set_query(inputs.q, b, h, i, label(p, drawn_key(p, mask, b, h, i, generator)));
    }
  }
  return inputs;
}

ParallelCase solved(const Problem& problem, const ColumnMask& mask, AttentionInputs inputs)
{
  ParallelCase c{problem, mask, std::move(inputs), {}, {}};
  c.outputs = attention_forward(problem, mask, c.inputs);
  c.gradients = attention_backward(problem, mask, c.inputs, c.outputs);
  return c;
}

Five five(const AttentionOutputs& o, const AttentionGradients& g) { return {&o.o, &o.lse, &g.dq, &g.dk, &g.dv}; }

Finding compare(const ParallelCase& c, const RankAttention& attention, const ContextParallelOptions& options,
                const Same& same)
{
  ContextParallelOutputs forward = context_parallel_forward(c.problem, c.mask, c.inputs, attention, options);
  if (forward.failure) return {{}, std::move(forward.failure)};
  ContextParallelGradients backward =
      context_parallel_backward(c.problem, c.mask, c.inputs, c.outputs, attention, options);
  if (backward.failure) return {{}, std::move(backward.failure)};
  const Five actual = five(forward.outputs, backward.gradients);
  const Five expected = five(c.outputs, c.gradients);
  for (std::size_t t = 0; t < kTensors.size(); ++t) {
    if (!actual[t]->same_shape(*expected[t]) || !std::equal(actual[t]->begin(), actual[t]->end(), expected[t]->begin(),
                                                            [&](double a, double e) { return same(t, a, e); })) {
      return {std::string(kTensors[t]), {}};
    }
  }
  return {};
}

double largest(const Tensor<double>& tensor)
{
  double most = 0;
  for (const double element : tensor)
    most = std::max(most, std::abs(element));
  return most;
}

}  // namespace

ParallelCase exact_case(const Problem& problem, const ColumnMask& mask, std::uint64_t seed)
{
  return solved(problem, mask, exact_inputs(problem, mask, seed));
}

ParallelCase uniform_case(const Problem& problem, const ColumnMask& mask, std::uint64_t seed)
{
  return solved(problem, mask, fill_inputs(reference::Fill::uniform, problem, mask, seed));
}

LocalAttention oracle()
{
  return {[](const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs) {
            return attention_forward(problem, mask, inputs);
          },
          [](const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
             const AttentionOutputs& outputs) { return attention_backward(problem, mask, inputs, outputs); }};
}

Finding compare_bits(const ParallelCase& c, const RankAttention& attention, const ContextParallelOptions& options)
{
  return compare(c, attention, options, [](std::size_t, double actual, double expected) {
    return std::bit_cast<std::uint64_t>(actual) == std::bit_cast<std::uint64_t>(expected);
  });
}

Finding compare_bounded(const ParallelCase& c, const RankAttention& attention, const ContextParallelOptions& options)
{
  const std::array<double, 5> bound = reorder_bound(c, options.cp_size);
  return compare(c, attention, options, [&](std::size_t tensor, double actual, double expected) {
    return actual == expected || std::abs(actual - expected) <= bound[tensor];
  });
}

std::array<double, 5> reorder_bound(const ParallelCase& c, int cp_size)
{
  const Problem& p = c.problem;
  const double scale = p.softmax_scale;
  const double q = largest(c.inputs.q), k = largest(c.inputs.k), v = largest(c.inputs.v), d_o = largest(c.inputs.d_o);
  const double rows = static_cast<double>(p.seqlen_q) * group_size(p);
  const double terms = p.seqlen_k + rows + p.head_dim + p.head_dim_v + 4.0 * cp_size;
  const double score = scale * p.head_dim * q * k;
  const double relative = 4 * std::numeric_limits<double>::epsilon() * terms * (1 + score);
  const double ds = 2 * p.head_dim_v * d_o * v;
  return {relative * v, relative * (1 + score), relative * scale * ds * k, relative * scale * ds * q * rows,
          relative * d_o * rows};
}

}  // namespace flashgate::sim
