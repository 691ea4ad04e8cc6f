// Dao-AILab/flash-attention#2374, #1745, #1974: NaN behind the used length of V reached O, as 0 x NaN.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "tests/issues/kernels/kernel_cell.h"

namespace flashgate::gpu::kernels {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity64 = std::numeric_limits<double>::infinity();

/// Two keys; whatever a kernel finds behind them is NaN.
JudgedCase two_keys(const std::vector<double>& v)
{
  return judge_inputs("B36", cell_problem(1, 2), {}, uniform_scores(1, v));
}

TEST_CASE("B36: NaN behind the length reaches nothing, in naive and in v2")
{
  const JudgedCase judged = two_keys({1, 3});
  for (Family family : {Family::naive, Family::v2}) {
    const KernelResult result = run_cell(judged, family);
    CHECK(printed(result.outputs.o) == std::vector<double>{2});
    CHECK(printed(result.outputs.lse) == std::vector<double>{0.6931});
    CHECK(is_right(judged, result));
  }
}

TEST_CASE("B36: NaN and infinity at a visible key reach O")
{
  for (double poison : {kNan, kInfinity64})
    for (Family family : {Family::naive, Family::v2})
      CHECK(!std::isfinite(run_cell(two_keys({1, poison}), family).outputs.o(0, 0, 0, 0)));
}

TEST_CASE("B36: NaN at a masked key is kept out by naive; v2 lets 0 x NaN through, which is what masked_nan warns of")
{
  reference::Problem problem = cell_problem(1, 4);
  const reference::ColumnMask mask = cell_mask(2, {1, 0, 1, 0, 0, 0, 0, 0});
  const JudgedCase judged = judge_inputs("B36", problem, mask, uniform_scores(1, {1, 3, kNan, kNan}));
  CHECK(judged.outputs.o(0, 0, 0, 0) == 2.0);
  CHECK(run_cell(judged, Family::naive).outputs.o(0, 0, 0, 0) == 2.0);
  CHECK(std::isnan(run_cell(judged, Family::v2).outputs.o(0, 0, 0, 0)));
}

TEST_CASE("B36: a kernel that brings whole tiles of V is found by O alone")
{
  // Three rows of NaN behind the last key and the tile is full: nothing is read out of bounds.
  const JudgedCase judged =
      judge_inputs("B36", cell_problem(1, 61), {}, uniform_scores(1, std::vector<double>(61, 1.0)));
  CHECK(is_right(judged, run_cell(judged, Family::v2)));
  const attention::KernelLibrary library = kernels_with("b36");
  KernelRunner runner(library);
  const KernelResult result = runner.run(judged.problem, judged.mask, judged.inputs, {}, false);
  CHECK(std::isnan(result.outputs.o(0, 0, 0, 0)));
  CHECK(forward_ratio(judged, result) > 1.0);
}

}  // namespace
}  // namespace flashgate::gpu::kernels
