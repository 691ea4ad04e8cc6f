// B25: ring backward rotates K and V, but the gradient routine keeps reading those saved at step 0.
#include <cmath>
#include <optional>

#include <doctest/doctest.h>

#include "tests/reference/small_cells.h"
#include "tests/sim/context_parallel_case.h"

namespace flashgate::sim {
namespace {

using namespace reference;

const Problem kProblem = small_problem(2, 2);

AttentionInputs inputs()
{
  return {column_of({1, 2}), column_of({0, std::log(3.0)}), column_of({1, 3}), column_of({1, 1})};
}

/// Backward of a rank whose per-step call reads the K and V it was first called with.
RankAttention stale_ring()
{
  RankAttention ring = ring_attention(oracle());
  ring.backward = [](RankContext& context, const RankCall& call, const AttentionOutputs& outputs) {
    std::optional<AttentionInputs> saved;
    LocalAttention stale = oracle();
    stale.backward = [&saved](const Problem& problem, const ColumnMask& mask, const AttentionInputs& now,
                              const AttentionOutputs& merged) {
      if (!saved) saved = now;
      return attention_backward(problem, mask, *saved, merged);
    };
    return ring_attention(stale).backward(context, call, outputs);
  };
  return ring;
}

AttentionGradients gradients(const RankAttention& attention)
{
  const ContextParallelOptions options{2, RankLayout::contiguous, {}};
  const AttentionOutputs outputs = context_parallel_forward(kProblem, {}, inputs(), attention, options).outputs;
  CHECK(outputs.o(0, 0, 0, 0) == doctest::Approx(2.5));
  CHECK(outputs.o(0, 0, 1, 0) == doctest::Approx(2.8));
  CHECK(outputs.lse(0, 0, 0, 0) == doctest::Approx(1.386294).epsilon(1e-6));
  CHECK(outputs.lse(0, 0, 1, 0) == doctest::Approx(2.302585).epsilon(1e-6));
  return context_parallel_backward(kProblem, {}, inputs(), outputs, attention, options).gradients;
}

void check_pair(const Tensor<double>& tensor, double first, double second)
{
  CHECK(tensor(0, 0, 0, 0) == doctest::Approx(first).epsilon(1e-5));
  CHECK(tensor(0, 0, 1, 0) == doctest::Approx(second).epsilon(1e-5));
}

}  // namespace

TEST_CASE("B25: the ring's gradients are those of one rank")
{
  const AttentionGradients right = gradients(ring_attention(oracle()));
  check_pair(right.dq, 0.411980, 0.197750);
  check_pair(right.dk, -0.735, 0.735);
  check_pair(right.dv, 0.35, 1.65);
}

TEST_CASE("B25: stale K and V keep the output and break dQ; only an element-wise comparison sees dV")
{
  const AttentionGradients wrong = gradients(stale_ring());
  check_pair(wrong.dq, 0, 0.395500);
  CHECK(wrong.dv(0, 0, 0, 0) != doctest::Approx(0.35));
}

}  // namespace flashgate::sim
