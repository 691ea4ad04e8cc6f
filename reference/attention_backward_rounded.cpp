#include <cmath>
#include <numbers>

#include "reference/attention_rounded.h"
#include "reference/half.h"
#include "reference/head_workers.h"
#include "reference/rounded_rows.h"

namespace flashgate::reference {
namespace {

constexpr float kLog2E = std::numbers::log2e_v<float>;

/// Inputs and outputs as fp32, and the fp32 accumulators, dK and dV per query head.
struct Buffers
{
  Tensor<float> q, k, v, d_o, o, lse;
  Tensor<float> dq, dk, dv;

  Buffers(const Problem& p, const AttentionInputs& inputs, const AttentionOutputs& outputs)
      : q(to_float(inputs.q)),
        k(to_float(inputs.k)),
        v(to_float(inputs.v)),
        d_o(to_float(inputs.d_o)),
        o(to_float(outputs.o)),
        lse(to_float(outputs.lse)),
        dq(p.batch, p.num_heads, p.seqlen_q, p.head_dim),
        dk(p.batch, p.num_heads, p.seqlen_k, p.head_dim),
        dv(p.batch, p.num_heads, p.seqlen_k, p.head_dim_v)
  {
  }
};

/// All keys of row i.
void run_row(const Problem& problem, const RowVisibility& visibility, Buffers& buffers, int b, int h, int i)
{
  const int head_kv = kv_head(problem, h);
  const auto scale = static_cast<float>(problem.softmax_scale);
  const float scale_log2 = scale * kLog2E;
  const FloatRow query = row_of(buffers.q, b, h, i);
  const FloatRow d_o = row_of(buffers.d_o, b, h, i);
  const float delta = d_o.dot(row_of(buffers.o, b, h, i));
  const float lse_log2 = buffers.lse(b, h, i, 0) * kLog2E;
  auto dq = buffers.dq.head(b, h).row(i);
  for (int j = 0; j < problem.seqlen_k; ++j) {
    if (!visibility.sees(b, h, i, j)) continue;
    const FloatRow key = row_of(buffers.k, b, head_kv, j);
    const float p = std::exp2(scale_log2 * query.dot(key) - lse_log2);
    const float ds = p * (d_o.dot(row_of(buffers.v, b, head_kv, j)) - delta);
    const auto p_rounded = static_cast<float>(round_to(problem.dtype, p));
    const auto ds_rounded = static_cast<float>(round_to(problem.dtype, ds));
    buffers.dv.head(b, h).row(j) += p_rounded * d_o.transpose();
    buffers.dk.head(b, h).row(j) += ds_rounded * query.transpose();
    dq += ds_rounded * key.transpose();
  }
  dq *= scale;
}

/// The final rounding of an accumulator to the dtype.
Tensor<double> rounded(Dtype dtype, const Tensor<float>& tensor)
{
  Tensor<double> result(tensor.batch(), tensor.heads(), tensor.seq(), tensor.dim());
  std::transform(tensor.begin(), tensor.end(), result.begin(), [dtype](float value) { return round_to(dtype, value); });
  return result;
}

/// The key/value head that query head h adds to.
int credited_head(const Problem& problem, const RoundedOptions& options, int h)
{
  const bool faulty = options.fault.kind == PlantedFault::Kind::wrong_group_head && h == 0;
  return faulty ? problem.num_heads_kv - 1 : kv_head(problem, h);
}

/// Sums the query heads of each group in fp32, ascending, and rounds.
Tensor<double> sum_groups(const Problem& problem, const RoundedOptions& options, Tensor<float>& per_head, float scale)
{
  Tensor<float> sum(problem.batch, problem.num_heads_kv, per_head.seq(), per_head.dim());
  for (int b = 0; b < problem.batch; ++b) {
    for (int h = 0; h < problem.num_heads; ++h) {
      auto partial = per_head.head(b, h);
      partial *= scale;
      if (options.round_each_head) {
        partial =
            partial.unaryExpr([&](float value) { return static_cast<float>(round_to(problem.dtype, value)); }).eval();
      }
      sum.head(b, credited_head(problem, options, h)) += partial;
    }
  }
  return rounded(problem.dtype, sum);
}

/// dsink_h = -sum_{b,i} exp(sink_h - L_i) delta_i, in fp32.
std::vector<double> sink_gradient(const Problem& problem, const std::vector<double>& sinks, const Buffers& buffers)
{
  std::vector<double> dsink;
  for (int h = 0; h < problem.num_heads && !sinks.empty(); ++h) {
    const auto sink = static_cast<float>(sinks[static_cast<std::size_t>(h)]);
    float sum = 0;
    for (int b = 0; b < problem.batch; ++b) {
      for (int i = 0; i < problem.seqlen_q; ++i) {
        const float delta = row_of(buffers.d_o, b, h, i).dot(row_of(buffers.o, b, h, i));
        sum -= std::exp2((sink - buffers.lse(b, h, i, 0)) * kLog2E) * delta;
      }
    }
    dsink.push_back(round_to(problem.dtype, sum));
  }
  return dsink;
}

}  // namespace

AttentionGradients attention_backward_rounded(const Problem& problem, const ColumnMask& mask,
                                              const AttentionInputs& inputs, const AttentionOutputs& outputs,
                                              const RoundedOptions& options)
{
  validate(problem, mask, inputs, {.block_mask = options.block_mask}, true);
  validate(problem, outputs);
  const RowVisibility visibility(problem, mask, options);
  Buffers buffers(problem, inputs, outputs);
  for_each_head(problem.batch, problem.num_heads, options.threads, [&](int b, int h) {
    for (int i = 0; i < problem.seqlen_q; ++i)
      run_row(problem, visibility, buffers, b, h, i);
  });
  return {rounded(problem.dtype, buffers.dq),
          sum_groups(problem, options, buffers.dk, static_cast<float>(problem.softmax_scale)),
          sum_groups(problem, options, buffers.dv, 1.0F), sink_gradient(problem, inputs.sink, buffers)};
}

}  // namespace flashgate::reference
