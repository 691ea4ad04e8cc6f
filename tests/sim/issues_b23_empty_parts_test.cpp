// B23: merging two empty partial results gives NaN.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "sim/context_parallel/lse_layout.h"
#include "tests/reference/small_cells.h"
#include "tests/sim/context_parallel_case.h"

namespace flashgate::sim {
namespace {

using namespace reference;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Rows 0 to 3 see nothing, rows 4 to 7 see keys 0 to 3: ring steps with no, some and all rows empty.
ColumnMask lower_rows_see_first_keys()
{
  ColumnMask mask = make_column_mask(1, 1, 8, 2);
  for (int j = 0; j < 8; ++j) {
    mask.bound(0, 0, j, 0) = j < 4 ? 8 : 0;
    mask.bound(0, 0, j, 1) = 4;
  }
  return mask;
}

/// Version 2 marks a fully masked row with +inf; the adapter turns its LSE into the canonical one.
LocalAttention version_2(bool adapted)
{
  LocalAttention local = oracle();
  local.forward = [adapted](const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs) {
    AttentionOutputs outputs = attention_forward(problem, mask, inputs);
    for (double& lse : outputs.lse)
      lse = lse == -kInfinity ? kInfinity : lse;
    if (!adapted) return outputs;
    const LseFormat format{LseLayout::padded, 1, {0, problem.seqlen_q}, problem.seqlen_q, EmptyRow::positive_infinity};
    outputs.lse = as_tensor(read_lse({outputs.lse.data(), outputs.lse.size()}, format), format);
    return outputs;
  };
  return local;
}

}  // namespace

TEST_CASE("B23: a ring whose parts are empty for some rows equals one rank, and its empty rows stay empty")
{
  const Problem problem = small_problem(8, 8);
  const ParallelCase c = uniform_case(problem, lower_rows_see_first_keys(), 1);
  for (const LocalAttention& local : {oracle(), version_2(true)}) {
    CHECK(compare_bounded(c, ring_attention(local), {2}).clean());
    const auto result = context_parallel_forward(problem, c.mask, c.inputs, ring_attention(local), {2});
    for (int i = 0; i < 4; ++i) {
      CHECK(result.outputs.o(0, 0, i, 0) == 0);
      CHECK(result.outputs.lse(0, 0, i, 0) == -kInfinity);
    }
  }
}

TEST_CASE("B23: +inf that nobody converted does not pass")
{
  const ParallelCase c = uniform_case(small_problem(8, 8), lower_rows_see_first_keys(), 1);
  CHECK_FALSE(compare_bounded(c, ring_attention(version_2(false)), {2}).clean());
}

}  // namespace flashgate::sim
