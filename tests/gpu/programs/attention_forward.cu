// An attention forward with online softmax; the faulty one refills the tile of keys while other warps still read it.
#include "tests/gpu/programs/attention_forward.cuh"

namespace {

struct Problem
{
  int heads;
  int seqlen;
  bool causal;
};

struct Result
{
  std::vector<float> out;
  std::vector<float> lse;
};

/// One query row on the CPU, in double: out and log-sum-exp.
void attend_row(const float* q, const float* k, const float* v, int visible, float* out, float* lse)
{
  std::vector<double> score(visible);
  double max = -INFINITY;
  for (int j = 0; j < visible; ++j) {
    double dot = 0;
    for (int d = 0; d < kHeadDim; ++d)
      dot += static_cast<double>(q[d]) * k[j * kHeadDim + d];
    score[j] = dot * kSoftmaxScale;
    max = std::max(max, score[j]);
  }
  double sum = 0;
  std::vector<double> row(kHeadDim, 0);
  for (int j = 0; j < visible; ++j) {
    const double weight = std::exp(score[j] - max);
    sum += weight;
    for (int d = 0; d < kHeadDim; ++d)
      row[d] += weight * v[j * kHeadDim + d];
  }
  for (int d = 0; d < kHeadDim; ++d)
    out[d] = static_cast<float>(row[d] / sum);
  *lse = static_cast<float>(max + std::log(sum));
}

Result attend_on_cpu(const Problem& problem, const std::vector<float>& q, const std::vector<float>& k,
                     const std::vector<float>& v)
{
  const int rows = problem.heads * problem.seqlen;
  Result result{std::vector<float>(rows * kHeadDim), std::vector<float>(rows)};
  for (int row = 0; row < rows; ++row) {
    const int head = row / problem.seqlen * problem.seqlen * kHeadDim;
    const int visible = problem.causal ? row % problem.seqlen + 1 : problem.seqlen;
    attend_row(&q[row * kHeadDim], &k[head], &v[head], visible, &result.out[row * kHeadDim], &result.lse[row]);
  }
  return result;
}

Result attend_on_device(const Problem& problem, const std::vector<float>& q, const std::vector<float>& k,
                        const std::vector<float>& v, bool good)
{
  const int rows = problem.heads * problem.seqlen;
  const DeviceArray<__nv_bfloat16> device_q(to_bf16(q));
  const DeviceArray<__nv_bfloat16> device_k(to_bf16(k));
  const DeviceArray<__nv_bfloat16> device_v(to_bf16(v));
  const DeviceArray<__nv_bfloat16> out(rows * kHeadDim);
  const DeviceArray<float> lse(rows);
  const AttentionArguments arguments{device_q, device_k, device_v, out, lse, problem.seqlen, problem.causal};
  const dim3 grid((problem.seqlen + kBlockM - 1) / kBlockM, problem.heads);
  (good ? attention_forward<true> : attention_forward<false>)<<<grid, kThreads>>>(arguments);
  finish();
  Result result;
  for (__nv_bfloat16 value : out.download())
    result.out.push_back(__bfloat162float(value));
  result.lse = lse.download();
  return result;
}

}  // namespace

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  // |v| is at most 1, so rounding the weights and the result to bf16 costs at most 2^-9 each.
  const double out_tolerance = std::ldexp(1.0, -8) + 1e-5;
  // 64 products of at most 1 in fp32, the scale 1/8, and the approximate exponentials.
  const double lse_tolerance = 1e-4;
  for (const Problem& problem : {Problem{1, 512, false}, Problem{2, 128, true}, Problem{3, 100, false},
                                 Problem{1, 65, true}, Problem{1, 1, true}}) {
    const int size = problem.heads * problem.seqlen * kHeadDim;
    const std::vector<float> q = sample_bf16(size, 1);
    const std::vector<float> k = sample_bf16(size, 2);
    const std::vector<float> v = sample_bf16(size, 3);
    const Result want = attend_on_cpu(problem, q, k, v);
    const Result got = attend_on_device(problem, q, k, v, good);
    printf("%d heads, seqlen %d, %s: ", problem.heads, problem.seqlen, problem.causal ? "causal" : "full");
    if (mismatch(got.out, want.out, out_tolerance) || mismatch(got.lse, want.lse, lse_tolerance)) return 1;
    printf("right\n");
  }
  printf("ok\n");
  return 0;
}
