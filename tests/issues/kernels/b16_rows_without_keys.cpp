// flashinfer-ai/flashinfer#4452, #4401: causal with more queries than keys; rows without a key had a large finite LSE.
#include <limits>

#include <doctest/doctest.h>

#include "tests/issues/kernels/kernel_cell.h"

namespace flashgate::gpu::kernels {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

/// Row i sees keys up to i - 2: by the causal corner, or by two bounds per column.
JudgedCase cell(bool as_columns)
{
  reference::Problem problem = cell_problem(4, 2);
  if (!as_columns) problem.causal = reference::Causal::bottom_right;
  const reference::ColumnMask mask = as_columns ? cell_mask(2, {4, 2, 4, 3}) : reference::ColumnMask{};
  return judge_inputs("B16", problem, mask, uniform_scores(4, {0, 1}));
}

TEST_CASE("B16: rows without a key have O = 0, LSE = -inf and no gradient, bottom right and as columns")
{
  for (bool as_columns : {false, true})
    for (Family family : {Family::naive, Family::v2}) {
      const JudgedCase judged = cell(as_columns);
      const KernelResult result = run_cell(judged, family);
      CHECK(printed(result.outputs.o) == std::vector<double>{0, 0, 0, 0.5});
      CHECK(printed(result.outputs.lse) == std::vector<double>{kMinusInfinity, kMinusInfinity, 0, 0.6931});
      CHECK(printed(result.gradients.dq) == std::vector<double>{0, 0, 0, 0});
      CHECK(printed(result.gradients.dv) == std::vector<double>{1.5, 0.5});
      CHECK(is_right(judged, result));
    }
}

TEST_CASE("B16: a finite number in place of -inf is found by LSE")
{
  const JudgedCase judged = cell(false);
  const KernelResult result = run_cell(judged, Family::v2, "b16");
  CHECK(result.outputs.lse(0, 0, 0, 0) < -49'000.0);
  CHECK(result.outputs.lse(0, 0, 0, 0) > -51'000.0);
  CHECK(forward_ratio(judged, result) > 1.0);
}

}  // namespace
}  // namespace flashgate::gpu::kernels
