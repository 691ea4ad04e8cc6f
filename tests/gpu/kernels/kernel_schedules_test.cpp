// Our kernels under many schedules: no report of any check, and the same bits where they are promised. With
// FLASHGATE_THOROUGH=1 larger shapes as well.
#include <cstdlib>
#include <set>

#include <doctest/doctest.h>

#include "tests/gpu/kernels/bug_cells.h"
#include "tests/gpu/kernels/kernel_run.h"

namespace flashgate::gpu::kernels {
namespace {

using reference::Dtype;
using Mask = reference::Family;

constexpr int kSeeds = 30;

/// Orders of blocks and warps, from one block at a time to six side by side, copies that arrive early and late.
std::vector<ExecutionOptions> schedules()
{
  std::vector<ExecutionOptions> all;
  for (int seed = 0; seed < kSeeds; ++seed)
    for (AsyncPolicy async : {AsyncPolicy::at_issue, AsyncPolicy::at_wait}) {
      ExecutionOptions options;
      options.seed = static_cast<std::uint64_t>(seed);
      options.resident_blocks = 1 + static_cast<std::uint32_t>(seed) % 6;
      options.async = async;
      all.push_back(options);
    }
  return all;
}

std::string text_of(const std::vector<std::byte>& bits)
{
  return {reinterpret_cast<const char*>(bits.data()), bits.size()};
}

/// What all schedules of a call left behind.
struct Seen
{
  std::set<std::string> forward;
  std::set<std::string> backward;
  std::vector<std::string> complaints;
  double worst_ratio = 0;
};

Seen run_schedules(const JudgedCase& judged, const LaunchOptions& options)
{
  KernelRunner runner;
  Seen seen;
  for (const ExecutionOptions& schedule : schedules()) {
    runner.set_options(schedule);
    const KernelResult result = runner.run(judged.problem, judged.mask, judged.inputs, options, true);
    seen.forward.insert(text_of(result.forward_bits));
    seen.backward.insert(text_of(result.backward_bits));
    seen.complaints.insert(seen.complaints.end(), result.complaints.begin(), result.complaints.end());
    seen.worst_ratio = std::max(seen.worst_ratio, backward_ratio(judged, result));
  }
  return seen;
}

std::vector<KernelCase> shapes()
{
  std::vector<KernelCase> all{
      {Mask::document, {false, 2}, 70, 130, 24, 32, 2, 1, 2},
      {Mask::causal_blockwise, {true, 2}, 129, 65, 32, 32, 1, 1, 1, 2, reference::Causal::top_left, Dtype::fp16},
  };
  if (std::getenv("FLASHGATE_THOROUGH") != nullptr)
    for (const int head_dim : {64, 96, 128, 192, 256})
      all.push_back({Mask::global_sliding_window, {false, 4}, 193, 257, head_dim, head_dim, 2, 1, 2});
  return all;
}

void check_schedules(LaunchOptions options, bool has_promised_bits)
{
  for (const KernelCase& shape : shapes()) {
    const JudgedCase judged = judge_case(shape);
    CAPTURE(judged.name);
    const Seen seen = run_schedules(judged, options);
    CHECK(seen.complaints == std::vector<std::string>{});
    CHECK(seen.worst_ratio <= 1.0);
    CHECK(seen.forward.size() == 1);
    if (has_promised_bits) CHECK(seen.backward.size() == 1);
  }
}

LaunchOptions options_of(Family family, bool deterministic)
{
  LaunchOptions options;
  options.family = family;
  options.deterministic = deterministic;
  return options;
}

TEST_CASE("naive: thirty schedules, early and late copies, no report, one result")
{
  check_schedules(options_of(Family::naive, true), true);
}

TEST_CASE("v2: thirty schedules, early and late copies, no report, one result")
{
  check_schedules(options_of(Family::v2, true), true);
}

TEST_CASE("v2 with atomics: thirty schedules, early and late copies, no report, one forward result")
{
  check_schedules(options_of(Family::v2, false), false);
}

TEST_CASE("B05: an ordered dQ is the same in every schedule, one summed by atomics is not")
{
  const JudgedCase judged = order_of_dq_sums();
  const Seen ordered = run_schedules(judged, options_of(Family::v2, true));
  const Seen atomic = run_schedules(judged, options_of(Family::v2, false));
  CHECK(ordered.backward.size() == 1);
  CHECK(atomic.backward.size() > 1);
  for (const Seen& seen : {ordered, atomic}) {
    CHECK(seen.complaints == std::vector<std::string>{});
    CHECK(seen.worst_ratio <= 1.0);
    CHECK(seen.forward.size() == 1);
  }
}

}  // namespace
}  // namespace flashgate::gpu::kernels
