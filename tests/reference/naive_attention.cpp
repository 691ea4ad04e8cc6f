#include "tests/reference/naive_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace flashgate::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double dot(const Tensor<double>& a, int ha, int sa, const Tensor<double>& b, int hb, int sb, int batch)
{
  double sum = 0;
  for (int d = 0; d < a.dim(); ++d)
    sum += a(batch, ha, sa, d) * b(batch, hb, sb, d);
  return sum;
}

/// Sums exp(score - maximum) over the keys; `weights` are what each key contributes to O.
struct RowWeights
{
  std::vector<double> weights;
  double maximum = -kInfinity;
  double sum = 0;
};

/// Without a fault the order of keys does not matter; with max_not_rescaled the faulty tile forgets to scale the past.
RowWeights softmax_row(const std::vector<double>& scores, const PlantedFault& fault, int key_tile)
{
  RowWeights row;
  row.weights.assign(scores.size(), 0.0);
  const int keys = static_cast<int>(scores.size());
  for (int first = 0; first < keys; first += key_tile) {
    const int end = std::min(keys, first + key_tile);
    const double tile_max = *std::max_element(scores.begin() + first, scores.begin() + end);
    if (tile_max == -kInfinity) continue;
    const double new_max = std::max(row.maximum, tile_max);
    const bool faulty =
        fault.kind == PlantedFault::Kind::max_not_rescaled && first / key_tile == fault.column / key_tile;
    const double rescale = faulty ? 1.0 : std::exp(row.maximum - new_max);
    row.sum *= rescale;
    for (double& weight : row.weights)
      weight *= rescale;
    row.maximum = new_max;
    for (int j = first; j < end; ++j) {
      row.weights[static_cast<std::size_t>(j)] = std::exp(scores[static_cast<std::size_t>(j)] - new_max);
      row.sum += row.weights[static_cast<std::size_t>(j)];
    }
  }
  return row;
}

std::vector<double> row_scores(const Problem& p, const Sees& sees, const AttentionInputs& in, int b, int h, int i)
{
  std::vector<double> scores(static_cast<std::size_t>(p.seqlen_k), -kInfinity);
  for (int j = 0; j < p.seqlen_k; ++j) {
    if (sees(b, h, i, j)) {
      scores[static_cast<std::size_t>(j)] = p.softmax_scale * dot(in.q, h, i, in.k, kv_head(p, h), j, b);
    }
  }
  return scores;
}

void forward_row(const Problem& p, const AttentionInputs& in, RowWeights row, int b, int h, int i,
                 AttentionOutputs& out)
{
  if (!in.sink.empty()) {
    const double sink = in.sink[static_cast<std::size_t>(h)];
    const double new_max = std::max(row.maximum, sink);
    const double rescale = std::exp(row.maximum - new_max);
    row.sum = row.sum * rescale + std::exp(sink - new_max);
    for (double& weight : row.weights)
      weight *= rescale;
    row.maximum = new_max;
  }
  out.lse(b, h, i, 0) = row.maximum + std::log(row.sum);
  for (int j = 0; j < p.seqlen_k; ++j) {
    const double weight = row.weights[static_cast<std::size_t>(j)];
    if (weight == 0) continue;
    for (int d = 0; d < p.head_dim_v; ++d)
      out.o(b, h, i, d) += weight / row.sum * in.v(b, kv_head(p, h), j, d);
  }
}

void backward_row(const Problem& p, const AttentionInputs& in, const std::vector<double>& scores,
                  const AttentionOutputs& out, const PlantedFault& fault, int b, int h, int i, AttentionGradients& grad)
{
  const int head_kv = kv_head(p, h);
  const bool wrong = fault.kind == PlantedFault::Kind::wrong_group_head && h == 0;
  const int credited = wrong ? p.num_heads_kv - 1 : head_kv;
  const double delta = dot(in.d_o, h, i, out.o, h, i, b);
  const double lse = out.lse(b, h, i, 0);
  if (!in.sink.empty()) {
    const auto head = static_cast<std::size_t>(h);
    grad.dsink[head] -= std::exp(in.sink[head] - lse) * delta;
  }
  for (int j = 0; j < p.seqlen_k; ++j) {
    const double score = scores[static_cast<std::size_t>(j)];
    if (score == -kInfinity) continue;
    const double weight = std::exp(score - lse);
    const double ds = weight * (dot(in.d_o, h, i, in.v, head_kv, j, b) - delta) * p.softmax_scale;
    for (int d = 0; d < p.head_dim; ++d) {
      grad.dq(b, h, i, d) += ds * in.k(b, head_kv, j, d);
      grad.dk(b, credited, j, d) += ds * in.q(b, h, i, d);
    }
    for (int d = 0; d < p.head_dim_v; ++d)
      grad.dv(b, credited, j, d) += weight * in.d_o(b, h, i, d);
  }
}

}  // namespace

NaiveResult naive_attention(const Problem& p, const Sees& sees, const AttentionInputs& inputs,
                            const PlantedFault& fault, int key_tile)
{
  NaiveResult result{{Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim_v),
                      Tensor<double>(p.batch, p.num_heads, p.seqlen_q, 1)},
                     {Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim),
                      Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim),
                      Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim_v),
                      std::vector<double>(inputs.sink.size(), 0.0)}};
  for (int b = 0; b < p.batch; ++b) {
    for (int h = 0; h < p.num_heads; ++h) {
      for (int i = 0; i < p.seqlen_q; ++i) {
        const std::vector<double> scores = row_scores(p, sees, inputs, b, h, i);
        forward_row(p, inputs, softmax_row(scores, fault, key_tile), b, h, i, result.outputs);
        backward_row(p, inputs, scores, result.outputs, fault, b, h, i, result.gradients);
      }
    }
  }
  return result;
}

}  // namespace flashgate::reference
