// pytorch/pytorch#173953: head dim 160 went to the kernel for 192 while dQ's accumulator had 160 columns.
#include <doctest/doctest.h>

#include "tests/issues/kernels/kernel_cell.h"

namespace flashgate::gpu::kernels {
namespace {

constexpr int kHeadDim = 160;
constexpr int kKernelHeadDim = 192;

reference::Problem problem_of(int head_dim)
{
  reference::Problem problem;
  problem.head_dim = head_dim;
  problem.head_dim_v = head_dim;
  return problem;
}

/// A backward of one query and one key at head dim 160 by the kernels for 192.
LaunchPlan plan_by_larger_kernel(int accumulator_columns)
{
  LaunchOptions options;
  options.deterministic = false;
  LaunchPlan plan = plan_backward(problem_of(kKernelHeadDim), options);
  AttentionParameters parameters = plan_backward(problem_of(kHeadDim), options).parameters;
  parameters.tile_columns = plan.parameters.tile_columns;
  parameters.dq_columns = accumulator_columns;
  plan.parameters = parameters;
  plan.workspace.dq_accumulator = static_cast<std::size_t>(accumulator_columns) * sizeof(float);
  return plan;
}

/// What is found when zeros run through it.
std::vector<std::string> complaints(int accumulator_columns)
{
  attention::HostOptions options;
  options.plan_backward = [&](const reference::Problem&, const LaunchOptions&) {
    return plan_by_larger_kernel(accumulator_columns);
  };
  attention::AttentionHost host(make_emulated_device({}), built_kernels(), options);
  const reference::Problem problem = problem_of(kHeadDim);
  const reference::Tensor<double> zeros(1, 1, 1, kHeadDim);
  const reference::Tensor<double> lse(1, 1, 1, 1);
  attention::Complaints found;
  host.backward({problem, {}, zeros, zeros, zeros, zeros}, zeros, lse, {}, found);
  std::vector<std::string> texts;
  for (const attention::Complaint& complaint : found)
    texts.push_back(complaint.text);
  return texts;
}

TEST_CASE("B09: the kernel for 192 stays inside an accumulator of its own 192 columns")
{
  CHECK(complaints(kKernelHeadDim) == std::vector<std::string>{});
}

TEST_CASE("B09: in an accumulator of 160 columns it is found to write into the red zone")
{
  const std::vector<std::string> found = complaints(kHeadDim);
  REQUIRE(!found.empty());
  CHECK(found[0].find("v2_backward_atomic_bf16_d192: ") == 0);
  CHECK(found[0].find("dQ accumulator") != std::string::npos);
}

TEST_CASE("B09: head dims 160 and 136 have accumulators as wide as the kernel that runs them")
{
  for (int head_dim : {kHeadDim, 136}) {
    KernelCase c{reference::Family::full, {false, 0}, 1, 1, head_dim, head_dim};
    LaunchOptions options;
    options.deterministic = false;
    const JudgedCase judged = judge_case(c);
    CHECK(is_right(judged, run_cell(judged, Family::v2, {}, options)));
  }
}

}  // namespace
}  // namespace flashgate::gpu::kernels
