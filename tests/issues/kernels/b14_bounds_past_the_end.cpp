// PaddlePaddle/flash-attention#95, PaddlePaddle/Paddle#76951: bounds of the columns behind the last key were read.
#include <numeric>

#include <doctest/doctest.h>

#include "tests/issues/kernels/kernel_cell.h"

namespace flashgate::gpu::kernels {
namespace {

constexpr int kKeys = 129;  ///< two tiles and one key

/// Every bound leaves its column visible; the buffer ends with the last key's.
JudgedCase cell(int bounds_per_column, bool causal)
{
  reference::Problem problem = cell_problem(1, kKeys);
  if (causal) problem.causal = reference::Causal::bottom_right;
  std::vector<int> bounds;
  for (int j = 0; j < kKeys; ++j)
    for (int c = 0; c < bounds_per_column; ++c)
      bounds.push_back(c == 0 ? 1 : 0);
  std::vector<double> v(kKeys);
  std::iota(v.begin(), v.end(), 0.0);
  return judge_inputs("B14", problem, cell_mask(bounds_per_column, bounds), uniform_scores(1, v));
}

std::vector<JudgedCase> cells() { return {cell(1, true), cell(2, true), cell(2, false), cell(4, false)}; }

TEST_CASE("B14: bounds are read up to the last key, whatever the tile")
{
  for (const JudgedCase& judged : cells())
    for (Family family : {Family::naive, Family::v2}) {
      const KernelResult result = run_cell(judged, family);
      CHECK(printed(result.outputs.o) == std::vector<double>{64});
      CHECK(printed(result.outputs.lse) == std::vector<double>{4.8598});
      CHECK(is_right(judged, result));
    }
}

TEST_CASE("B14: bounds read for whole tiles are found in the red zone behind them, in every kernel that reads them")
{
  for (const JudgedCase& judged : cells()) {
    const KernelResult result = run_cell(judged, Family::v2, "b14");
    CHECK(complains(result, {"flashmask_tile_bounds", "out-of-bounds", "column bounds", "masked_rows.cuh:"}));
    LaunchOptions options;
    options.skips_tiles = false;  // then nobody reads them before the attention kernels do
    const KernelResult without_bounds = run_cell(judged, Family::v2, "b14", options);
    CHECK(complains(without_bounds, {"v2_forward", "out-of-bounds", "column bounds", "masked_rows.cuh:"}));
    CHECK(complains(without_bounds, {"v2_backward_keys", "out-of-bounds", "column bounds"}));
    CHECK(complains(without_bounds, {"v2_backward_queries", "out-of-bounds", "column bounds"}));
  }
}

}  // namespace
}  // namespace flashgate::gpu::kernels
