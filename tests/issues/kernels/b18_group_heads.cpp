// XunhaoLai/native-sparse-attention-triton#27: backward split the query head's index by the other divisor.
#include <cmath>

#include <doctest/doctest.h>

#include "tests/issues/kernels/kernel_cell.h"

namespace flashgate::gpu::kernels {
namespace {

/// dO of head h is 2^h, so dV is a bit mask of the heads that were credited.
JudgedCase cell()
{
  reference::Problem problem = cell_problem(1, 1);
  problem.num_heads = 6;
  problem.num_heads_kv = 2;
  reference::AttentionInputs inputs{cell_tensor(6, 1), cell_tensor(2, 1), cell_tensor(2, 1), cell_tensor(6, 1)};
  for (int h = 0; h < 6; ++h)
    inputs.d_o(0, h, 0, 0) = std::ldexp(1.0, h);
  return judge_inputs("B18", problem, {}, inputs);
}

double credited(const KernelResult& result, int head_kv) { return result.gradients.dv(0, head_kv, 0, 0); }

TEST_CASE("B18: each key/value head is credited with the query heads of its block, by naive and by v2")
{
  const JudgedCase judged = cell();
  for (Family family : {Family::naive, Family::v2}) {
    const KernelResult result = run_cell(judged, family);
    CHECK(credited(result, 0) == 7);
    CHECK(credited(result, 1) == 56);
    CHECK(result.gradients.dk(0, 0, 0, 0) == 0);
    CHECK(is_right(judged, result));
  }
}

TEST_CASE("B18: a backward that interleaves heads where forward has blocks is found by dV")
{
  const JudgedCase judged = cell();
  const KernelResult result = run_cell(judged, Family::v2, "b18_interleaved");
  CHECK(credited(result, 0) == 21);
  CHECK(credited(result, 1) == 42);
  CHECK(forward_ratio(judged, result) <= 1.0);
  CHECK(backward_ratio(judged, result) > 1.0);
}

TEST_CASE("B18: a key/value head that does not exist is found out of bounds, by its line")
{
  const KernelResult result = run_cell(cell(), Family::naive, "b18_out_of_range");
  CHECK(complains(result, {"out-of-bounds", "naive_row.cuh:"}));
}

}  // namespace
}  // namespace flashgate::gpu::kernels
