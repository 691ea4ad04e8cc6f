#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "reference/attention_rounded.h"
#include "reference/half.h"
#include "reference/head_workers.h"
#include "reference/rounded_rows.h"

namespace flashgate::reference {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLog2E = std::numbers::log2e_v<float>;

/// The online softmax of one row. Scores are in base 2: softmax_scale log2(e) q.k.
struct RowSoftmax
{
  float row_max = -kInfinity;
  float row_sum = 0;
  Eigen::VectorXf o;
};

/// Everything one row needs.
struct RowJob
{
  const Problem& problem;
  const RoundedOptions& options;
  const RowVisibility& visibility;
  const Tensor<float>& q;
  const Tensor<float>& k;
  const Tensor<float>& v;
  int b;
  int h;
  int i;
};

/// Visible keys of one key tile with their scores.
struct TileScores
{
  std::vector<int> keys;
  std::vector<float> scores;
  float largest = -kInfinity;
};

/// Scores of the visible keys in [first_key, end_key). Masked keys are not even read, so nothing of theirs can leak.
TileScores score_tile(const RowJob& job, int first_key, int end_key)
{
  const float scale_log2 = static_cast<float>(job.problem.softmax_scale) * kLog2E;
  const int head_kv = kv_head(job.problem, job.h);
  const FloatRow query = row_of(job.q, job.b, job.h, job.i);
  TileScores tile;
  for (int j = first_key; j < end_key; ++j) {
    if (!job.visibility.sees(job.b, job.h, job.i, j)) continue;
    const float score = scale_log2 * query.dot(row_of(job.k, job.b, head_kv, j));
    tile.keys.push_back(j);
    tile.scores.push_back(score);
    if (!(score <= tile.largest)) tile.largest = score;  // a NaN stays
  }
  return tile;
}

/// Takes one key tile into the row. `rescales` false is the planted fault that forgets the factor exp2(old - new).
/// The row sum takes P as it is, the product with V takes P rounded: so do the kernels.
void absorb(const RowJob& job, const TileScores& tile, bool rescales, RowSoftmax& softmax)
{
  if (tile.keys.empty()) return;
  const float new_max = softmax.row_max > tile.largest ? softmax.row_max : tile.largest;
  const float rescale = rescales ? std::exp2(softmax.row_max - new_max) : 1.0F;
  softmax.row_sum *= rescale;
  softmax.o *= rescale;
  softmax.row_max = new_max;
  for (std::size_t n = 0; n < tile.keys.size(); ++n) {
    const float p = std::exp2(tile.scores[n] - new_max);
    softmax.row_sum += p;
    const auto rounded = static_cast<float>(round_to(job.problem.dtype, p));
    softmax.o += rounded * row_of(job.v, job.b, kv_head(job.problem, job.h), tile.keys[n]);
  }
}

/// All key tiles of one row, in ascending order.
RowSoftmax run_row(const RowJob& job)
{
  RowSoftmax softmax;
  softmax.o = Eigen::VectorXf::Zero(job.problem.head_dim_v);
  const int key_tile = job.options.key_tile;
  const PlantedFault& fault = job.options.fault;
  for (int first = 0; first < job.problem.seqlen_k; first += key_tile) {
    const int end = std::min(first + key_tile, job.problem.seqlen_k);
    const bool faulty =
        fault.kind == PlantedFault::Kind::max_not_rescaled && first / key_tile == fault.column / key_tile;
    absorb(job, score_tile(job, first, end), !faulty, softmax);
  }
  return softmax;
}

/// The sink joins at the end: one more logit in the sum, none in O. `sink` is in base 2; -inf is no sink.
void add_sink(float sink, RowSoftmax& softmax)
{
  if (sink == -kInfinity) return;
  const float new_max = std::fmax(softmax.row_max, sink);
  const float rescale = std::exp2(softmax.row_max - new_max);
  softmax.row_sum = softmax.row_sum * rescale + std::exp2(sink - new_max);
  softmax.o *= rescale;
  softmax.row_max = new_max;
}

/// Division, rounding to the dtype, and back from base 2 to the natural log.
void store(const RowJob& job, const RowSoftmax& softmax, AttentionOutputs& outputs)
{
  const bool empty = softmax.row_sum == 0;
  for (int d = 0; d < job.problem.head_dim_v; ++d) {
    outputs.o(job.b, job.h, job.i, d) = empty ? 0.0 : round_to(job.problem.dtype, softmax.o[d] / softmax.row_sum);
  }
  const float lse = softmax.row_max * std::numbers::ln2_v<float> + std::log(softmax.row_sum);
  outputs.lse(job.b, job.h, job.i, 0) = empty ? -kInfinity : lse;
}

}  // namespace

RoundedOptions rounded_options(int flag_version)
{
  RoundedOptions options;
  options.round_each_head = flag_version == 2;
  return options;
}

AttentionOutputs attention_forward_rounded(const Problem& problem, const ColumnMask& mask,
                                           const AttentionInputs& inputs, const RoundedOptions& options)
{
  validate(problem, mask, inputs, {.block_mask = options.block_mask}, false);
  const RowVisibility visibility(problem, mask, options);
  const Tensor<float> q = to_float(inputs.q);
  const Tensor<float> k = to_float(inputs.k);
  const Tensor<float> v = to_float(inputs.v);
  AttentionOutputs outputs{
      Tensor<double>(problem.batch, problem.num_heads, problem.seqlen_q, problem.head_dim_v),
      Tensor<double>(problem.batch, problem.num_heads, problem.seqlen_q, 1),
  };
  for_each_head(problem.batch, problem.num_heads, options.threads, [&](int b, int h) {
    const float sink =
        inputs.sink.empty() ? -kInfinity : static_cast<float>(inputs.sink[static_cast<std::size_t>(h)]) * kLog2E;
    for (int i = 0; i < problem.seqlen_q; ++i) {
      const RowJob job{problem, options, visibility, q, k, v, b, h, i};
      RowSoftmax softmax = run_row(job);
      add_sink(sink, softmax);
      store(job, softmax, outputs);
    }
  });
  return outputs;
}

}  // namespace flashgate::reference
