// Dao-AILab/flash-attention#2244, #1596, #1766: determinism was asked for and the launcher took the kernel with
// atomics.
#include <set>

#include <doctest/doctest.h>

#include "tests/issues/kernels/kernel_cell.h"

namespace flashgate::gpu::kernels {
namespace {

/// One query, four tiles with one visible key each: the terms of dQ are 2^24, 1, -2^24 and 0, so their sum in fp32 is 1
/// or 0, by the order.
JudgedCase cell()
{
  constexpr int kTile = 64;
  constexpr double kKeys[] = {16777216, 1, 8388608, 0};
  constexpr double kValues[] = {4, 4, -8, 0};
  reference::AttentionInputs inputs = uniform_scores(1, std::vector<double>(4 * kTile, 0.0));
  std::vector<int> bounds(2 * 4 * kTile, 0);  // lt_start 0: masked
  for (int n = 0; n < 4; ++n) {
    inputs.k(0, 0, n * kTile, 0) = kKeys[n];
    inputs.v(0, 0, n * kTile, 0) = kValues[n];
    bounds[static_cast<std::size_t>(2 * n * kTile)] = 1;
  }
  return judge_inputs("B05", cell_problem(1, 4 * kTile), cell_mask(2, bounds), inputs);
}

/// Every dQ that 24 schedules give.
std::set<double> seen(bool deterministic)
{
  const JudgedCase judged = cell();
  KernelRunner runner;
  LaunchOptions launch;
  launch.deterministic = deterministic;
  std::set<double> values;
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (std::uint32_t resident_blocks : {1U, 4U}) {
      ExecutionOptions options;
      options.seed = seed;
      options.resident_blocks = resident_blocks;
      runner.set_options(options);
      const KernelResult result = runner.run(judged.problem, judged.mask, judged.inputs, launch, true);
      CHECK(result.complaints == std::vector<std::string>{});
      CHECK(result.outputs.o(0, 0, 0, 0) == 0.0);
      CHECK(result.gradients.dv(0, 0, 0, 0) == 0.25);
      CHECK(result.gradients.dk(0, 0, 0, 0) == 0.0);
      values.insert(result.gradients.dq(0, 0, 0, 0));
    }
  return values;
}

TEST_CASE("B05: the oracle's dQ is 1, and 0 is within what fp32 may do to it")
{
  const JudgedCase judged = cell();
  CHECK(judged.gradients.dq(0, 0, 0, 0) == 1.0);
  CHECK(judged.backward_bound.dq(0, 0, 0, 0) > 1.0);
}

TEST_CASE("B05: the deterministic kernel gives one dQ under all schedules") { CHECK(seen(true).size() == 1); }

TEST_CASE("B05: the kernel with atomics in its place is found out by schedules, where bounds find nothing")
{
  CHECK(seen(false) == std::set<double>{0.0, 1.0});
}

}  // namespace
}  // namespace flashgate::gpu::kernels
