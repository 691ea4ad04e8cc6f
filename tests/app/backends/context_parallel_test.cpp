// Kernels as the local attention of context-parallel ranks: on data whose sums are exact, any number of ranks gives the
// bits that one gives.
#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "app/backends/emulated_backend.h"
#include "matrix/execution_oracle.h"
#include "matrix/numerics_case.h"
#include "reference/mask_rules.h"

namespace flashgate::app {
namespace {

using matrix::KernelOutputs;
using matrix::NumericsAxisId;
using matrix::NumericsCase;

const KernelBackend& backend()
{
  static const auto emulated =
      make_emulated_backend(gpu::attention::load_kernels(FLASHGATE_KERNELS), {.evidence = "L1"});
  return *emulated;
}

using reference::AttentionInputs;
using reference::Problem;
using reference::Tensor;

/// Keys come in pairs of equal score, a pair for each of the first half of the dimensions.
constexpr double kLength = 64;

/// Every operation of attention is exact on these. A query points along the dimension of one pair of which it sees a
/// key, at a score that leaves nothing of all others: P is 1, or 1/2 twice. Keys of a pair differ in dimensions where
/// queries are 0, values are small integers and a row of dO has a single 1 or -1, so that dS is a small multiple of 1/4
/// and all sums over rows and keys fit into a bf16.
AttentionInputs exact_inputs(const Problem& p, const reference::ColumnMask& mask)
{
  const int half = p.head_dim / 2;
  REQUIRE(p.seqlen_k <= p.head_dim);
  AttentionInputs inputs{Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim),
                         Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim),
                         Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim_v),
                         Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim_v)};
  std::mt19937 random(1);
  const auto draw = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  for (int h = 0; h < p.num_heads_kv; ++h)
    for (int j = 0; j < p.seqlen_k; ++j) {
      inputs.k(0, h, j, j / 2) = kLength;
      inputs.k(0, h, j, half + draw(half)) = 1 + draw(2);
      for (int d = 0; d < p.head_dim_v; ++d)
        inputs.v(0, h, j, d) = draw(5) - 2;
    }
  for (int h = 0; h < p.num_heads; ++h)
    for (int i = 0; i < p.seqlen_q; ++i) {
      const int first = draw(p.seqlen_k);
      for (int n = 0; n < p.seqlen_k; ++n) {
        const int j = (first + n) % p.seqlen_k;
        if (reference::masked(p, {mask}, 0, h, i, j)) continue;
        inputs.q(0, h, i, j / 2) = kLength;
        break;
      }
      inputs.d_o(0, h, i, draw(p.head_dim_v)) = 2 * draw(2) - 1;
    }
  return inputs;
}

KernelOutputs run(const NumericsCase& numerics)
{
  matrix::ExecutionOracle oracle = matrix::make_oracle(numerics);
  oracle.problem.softmax_scale = 0.125;  // exact for every head dim
  oracle.inputs = exact_inputs(oracle.problem, oracle.mask);
  KernelOutputs outputs = poisoned_outputs(numerics, oracle.problem);
  backend().run(oracle.call(), outputs);
  CHECK(outputs.findings.empty());
  return outputs;
}

bool has_numbers(const Tensor<double>& tensor)
{
  return std::ranges::count_if(tensor, [](double value) { return value != 0; }) > 20;
}

bool same_bits(const reference::Tensor<double>& a, const reference::Tensor<double>& b)
{
  return a.same_shape(b) && std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST_CASE("on exact integers v2 on ranks equals v2 on one rank, forward and backward, bit for bit")
{
  for (const char* base : {"v2/direction=backward,head_dim=64,seqlen=64,heads=4/2,deterministic=on",
                           "v2/direction=backward,head_dim=128,seqlen=128,heads=1/1,family=causal_document",
                           "v2/direction=backward,head_dim=128,seqlen=64/128,heads=4/4,family=document,dtype=fp16",
                           "naive/direction=backward,head_dim=64,seqlen=64,heads=1/1,family=causal"}) {
    const std::string name(base);
    const KernelOutputs whole = run(matrix::parse_numerics_case(name));
    CHECK(has_numbers(whole.forward.o));
    CHECK(has_numbers(whole.backward.dq));
    CHECK(has_numbers(whole.backward.dk));
    CHECK(has_numbers(whole.backward.dv));
    for (const char* cp_size : {"2", "4", "8"}) {
      CAPTURE(name);
      CAPTURE(std::string(cp_size));
      const NumericsCase several = matrix::parse_numerics_case(name + ",cp_size=" + cp_size);
      REQUIRE(excluded_by(several).empty());
      const KernelOutputs shared = run(several);
      CHECK(same_bits(shared.forward.o, whole.forward.o));
      CHECK(same_bits(shared.forward.lse, whole.forward.lse));
      CHECK(same_bits(shared.backward.dq, whole.backward.dq));
      CHECK(same_bits(shared.backward.dk, whole.backward.dk));
      CHECK(same_bits(shared.backward.dv, whole.backward.dv));
    }
  }
}

}  // namespace flashgate::app
