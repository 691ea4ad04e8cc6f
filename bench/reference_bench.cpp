// Speed of the oracle as ratios taken in one run on one machine, so that they mean the same everywhere:
//   dense causal forward + backward against Eigen's own double GEMM (promise: at least 0.60 of its rate), and
//   causal-document masks against the dense time's share of visible tiles (promise: at most 1.25).
// Both sides of a ratio alternate, and the fastest of each counts: what else runs on the machine only ever slows down.
#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "reference/attention.h"
#include "reference/mask_expand.h"

namespace flashgate::reference {
namespace {

constexpr int kGemmSize = 1024;

double seconds(const auto& work)
{
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Problem bench_problem()
{
  Problem problem{
      .num_heads = 4, .num_heads_kv = 4, .seqlen_q = 2048, .seqlen_k = 2048, .head_dim = 128, .head_dim_v = 128};
  problem.softmax_scale = default_softmax_scale(problem.head_dim);
  problem.causal = Causal::bottom_right;
  return problem;
}

Tensor<double> uniform_tensor(const Problem& problem, std::mt19937_64& generator)
{
  Tensor<double> tensor(problem.batch, problem.num_heads, problem.seqlen_q, problem.head_dim);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::generate(tensor.begin(), tensor.end(), [&] { return uniform(generator); });
  return tensor;
}

AttentionInputs bench_inputs(const Problem& problem)
{
  std::mt19937_64 generator(1);
  AttentionInputs inputs;
  for (Tensor<double>* tensor : {&inputs.q, &inputs.k, &inputs.v, &inputs.d_o})
    *tensor = uniform_tensor(problem, generator);
  return inputs;
}

/// Documents of `length` rows, the last one cut off by the end.
ColumnMask document_mask(const Problem& problem, int length)
{
  ColumnMask mask = make_column_mask(1, 1, problem.seqlen_k, 1);
  for (int j = 0; j < problem.seqlen_k; ++j)
    mask.bound(0, 0, j, 0) = std::min((j / length + 1) * length, problem.seqlen_q);
  return mask;
}

double attention_seconds(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs, int threads)
{
  return seconds([&] {
    const AttentionOutputs outputs = attention_forward(problem, mask, inputs, {.threads = threads});
    benchmark::DoNotOptimize(attention_backward(problem, mask, inputs, outputs, {.threads = threads}).dq.data());
  });
}

/// Multiply-adds of forward (2 products) and backward (5 products) on visible elements, two operations each.
double attention_flops(const Problem& problem, const ColumnMask& mask)
{
  return 2.0 * 7.0 * problem.head_dim * static_cast<double>(visible_area(problem, {mask}).elements);
}

/// One GEMM per thread at the same time.
double gemm_seconds(int threads)
{
  struct Operands
  {
    HeadMatrix<double> a = HeadMatrix<double>::Random(kGemmSize, kGemmSize);
    HeadMatrix<double> b = HeadMatrix<double>::Random(kGemmSize, kGemmSize);
    HeadMatrix<double> c = HeadMatrix<double>::Zero(kGemmSize, kGemmSize);
  };
  std::vector<Operands> operands(static_cast<std::size_t>(threads));
  return seconds([&] {
    std::vector<std::jthread> workers;
    for (Operands& each : operands)
      workers.emplace_back([&each] { each.c.noalias() += each.a * each.b; });
  });
}

void dense_causal_against_gemm(benchmark::State& state)
{
  const int threads = static_cast<int>(state.range(0));
  const Problem problem = bench_problem();
  const AttentionInputs inputs = bench_inputs(problem);
  double attention = std::numeric_limits<double>::infinity();
  double gemm = attention;
  for (auto _ : state) {
    gemm = std::min(gemm, gemm_seconds(threads));
    const double elapsed = attention_seconds(problem, {}, inputs, threads);
    attention = std::min(attention, elapsed);
    state.SetIterationTime(elapsed);
  }
  const double gemm_rate = 2.0 * kGemmSize * kGemmSize * kGemmSize * threads / gemm;
  const double attention_rate = attention_flops(problem, {}) / attention;
  state.counters["gemm_gflops"] = gemm_rate * 1e-9;
  state.counters["attention_gflops"] = attention_rate * 1e-9;
  state.counters["ratio"] = attention_rate / gemm_rate;
}

void causal_document_against_dense(benchmark::State& state)
{
  const Problem problem = bench_problem();
  Problem dense_problem = problem;
  dense_problem.causal = Causal::none;
  const AttentionInputs inputs = bench_inputs(problem);
  const ColumnMask mask = document_mask(problem, static_cast<int>(state.range(0)));
  double dense = std::numeric_limits<double>::infinity();
  double document = dense;
  for (auto _ : state) {
    dense = std::min(dense, attention_seconds(dense_problem, {}, inputs, 1));
    const double elapsed = attention_seconds(problem, mask, inputs, 1);
    document = std::min(document, elapsed);
    state.SetIterationTime(elapsed);
  }
  const VisibleArea area = visible_area(problem, {mask});
  const double share = static_cast<double>(area.tiles) / static_cast<double>(area.total_tiles);
  state.counters["tile_share"] = share;
  state.counters["ratio"] = document / (dense * share);
}

BENCHMARK(dense_causal_against_gemm)->Arg(1)->Arg(2)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(causal_document_against_dense)
    ->Arg(512)
    ->Arg(1024)
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flashgate::reference
