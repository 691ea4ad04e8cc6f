// PaddlePaddle/flash-attention#48, PaddlePaddle/Paddle#67791: a key whose start row is its own row kept the diagonal.
#include <limits>

#include <doctest/doctest.h>

#include "tests/issues/kernels/kernel_cell.h"

namespace flashgate::gpu::kernels {
namespace {

JudgedCase cell(const std::vector<int>& start_rows)
{
  reference::Problem problem = cell_problem(4, 4);
  problem.causal = reference::Causal::top_left;
  return judge_inputs("B13", problem, cell_mask(1, start_rows), uniform_scores(4, {0, 1, 2, 3}));
}

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr double kRounded5Thirds = 1.6641;  ///< in bf16

TEST_CASE("B13: a start row on the diagonal masks the diagonal, in naive and in v2")
{
  const JudgedCase a = cell({4, 1, 4, 4});
  const JudgedCase b = cell({0, 4, 4, 4});
  for (Family family : {Family::naive, Family::v2}) {
    const KernelResult of_a = run_cell(a, family);
    CHECK(printed(of_a.outputs.o) == std::vector<double>{0, 0, 1, kRounded5Thirds});
    CHECK(printed(of_a.outputs.lse) == std::vector<double>{0, 0, 0.6931, 1.0986});
    CHECK(is_right(a, of_a));
    const KernelResult of_b = run_cell(b, family);
    CHECK(printed(of_b.outputs.o) == std::vector<double>{0, 1, 1.5, 2});
    CHECK(printed(of_b.outputs.lse) == std::vector<double>{kMinusInfinity, 0, 0.6931, 1.0986});
    CHECK(is_right(b, of_b));
  }
}

TEST_CASE("B13: a kernel that starts one row late is found wrong by O, and by LSE alone")
{
  const JudgedCase a = cell({4, 1, 4, 4});
  const JudgedCase b = cell({0, 4, 4, 4});
  for (Family family : {Family::naive, Family::v2}) {
    const KernelResult of_a = run_cell(a, family, "b13");
    CHECK(of_a.outputs.o(0, 0, 1, 0) == 0.5);
    CHECK(forward_ratio(a, of_a) > 1.0);
    const KernelResult of_b = run_cell(b, family, "b13");
    CHECK(printed(of_b.outputs.o) == std::vector<double>{0, 1, 1.5, 2});
    CHECK(of_b.outputs.lse(0, 0, 0, 0) == 0.0);
    CHECK(forward_ratio(b, of_b) > 1.0);
  }
}

}  // namespace
}  // namespace flashgate::gpu::kernels
