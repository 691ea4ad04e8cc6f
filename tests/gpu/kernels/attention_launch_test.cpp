// The host's half of the kernels: plans, workspaces and refusals.
#include "gpu/kernels/attention_launch.h"

#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include "gpu/kernels/tile_shape.h"
#include "reference/error.h"

namespace flashgate::gpu::kernels {
namespace {

reference::Problem problem_of(int head_dim)
{
  reference::Problem problem;
  problem.head_dim = problem.head_dim_v = head_dim;
  return problem;
}

TEST_CASE("a head dim runs in the smallest instantiation that holds it")
{
  for (int head_dim = kChunkElements; head_dim <= kHeadDimLargest; head_dim += kChunkElements) {
    const int padded = tile_shape(head_dim, head_dim).head_dim;
    CHECK(padded >= head_dim);
    for (const TileShape& shape : kTileShapes)
      CHECK((shape.head_dim < head_dim || shape.head_dim >= padded));
    CHECK(plan_forward(problem_of(head_dim), {}).steps.back().module == "v2_forward_d" + std::to_string(padded));
  }
  CHECK(tile_shape(kHeadDimLargest + 1, 64).head_dim == 0);
}

TEST_CASE("the accumulators of dQ are as wide as the kernel that adds to them")
{
  LaunchOptions options;
  options.deterministic = false;
  for (int head_dim = kChunkElements; head_dim <= kHeadDimLargest; head_dim += kChunkElements) {
    const LaunchPlan plan = plan_backward(problem_of(head_dim), options);
    const int padded = tile_shape(head_dim, head_dim).head_dim;
    CHECK(plan.parameters.dq_columns == padded);
    CHECK(plan.workspace.dq_accumulator == static_cast<std::size_t>(padded) * sizeof(float));
  }
}

TEST_CASE("a deterministic plan launches no atomic kernel, and only the other one has accumulators")
{
  LaunchOptions options;
  const auto is_atomic = [](const LaunchStep& step) { return step.entry.find("atomic") != std::string::npos; };
  const LaunchPlan ordered = plan_backward(problem_of(64), options);
  CHECK(std::none_of(ordered.steps.begin(), ordered.steps.end(), is_atomic));
  CHECK(ordered.workspace.dq_accumulator == 0);
  options.deterministic = false;
  const LaunchPlan atomic = plan_backward(problem_of(64), options);
  CHECK(std::count_if(atomic.steps.begin(), atomic.steps.end(), is_atomic) == 1);
  CHECK(atomic.workspace.dq_accumulator > 0);
}

TEST_CASE("strides of tensors beyond 2^31 elements are exact")
{
  reference::Problem problem = problem_of(128);
  problem.num_heads = problem.num_heads_kv = 16;
  problem.seqlen_q = problem.seqlen_k = 1 << 20;
  CHECK(plan_forward(problem, {}).parameters.q.batch_stride == std::int64_t{1} << 31);
}

TEST_CASE("every module of a plan is one that is built")
{
  const std::vector<std::string> names = module_names();
  for (Family family : {Family::naive, Family::v2})
    for (bool deterministic : {true, false})
      for (int head_dim = kChunkElements; head_dim <= kHeadDimLargest; head_dim += kChunkElements) {
        LaunchOptions options;
        options.family = family;
        options.deterministic = deterministic;
        for (const LaunchPlan& plan :
             {plan_forward(problem_of(head_dim), options), plan_backward(problem_of(head_dim), options)})
          for (const LaunchStep& step : plan.steps)
            CHECK(std::count(names.begin(), names.end(), step.module) == 1);
      }
}

TEST_CASE("what the kernels can't run is refused with one line")
{
  reference::Problem problem = problem_of(64);
  LaunchOptions options;
  CHECK(refusal(problem, options).empty());
  CHECK(refusal(problem_of(264), options) == "attention kernels have head dims up to 256, not 264");
  CHECK(refusal(problem_of(60), options) == "v2 needs head dims that are multiples of 8, not 60 and 60");
  CHECK_THROWS_WITH_AS(plan_forward(problem_of(60), options), refusal(problem_of(60), options).c_str(), Error);
  options.bounds_per_column = 1;
  CHECK(refusal(problem, options) == "1 bounds per column mean nothing with causal none");
  options.bounds_per_column = 0;
  options.mask_heads = 2;
  CHECK(refusal(problem, options) == "1 query heads are no multiple of 2 mask heads");
  options.mask_heads = 1;
  problem.num_heads = 3;
  problem.num_heads_kv = 2;
  CHECK(refusal(problem, options) == "3 query heads are no multiple of 2 key/value heads");
  problem.num_heads_kv = 1;
  problem.batch = 65536;
  CHECK(refusal(problem, options) == "attention kernels take at most 65535 batch entries and heads");
}

}  // namespace
}  // namespace flashgate::gpu::kernels
