// Our attention kernels on the emulated device, every check on, against the oracle and its bounds.
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "tests/gpu/kernels/judged_case.h"

namespace flashgate::gpu::kernels {
namespace {

/// Element by element: g++ 12 takes the comparison of whole vectors for one that may overrun.
bool same_bits(const auto& a, const auto& b)
{
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

using reference::Causal;
using reference::Dtype;
using Mask = reference::Family;

/// One for all tests, so that modules are parsed and decoded once.
KernelRunner& runner(const ExecutionOptions& options = {})
{
  static KernelRunner shared;
  shared.set_options(options);
  return shared;
}

KernelResult run(const JudgedCase& judged, const LaunchOptions& options, bool backward = true)
{
  return runner().run(judged.problem, judged.mask, judged.inputs, options, backward);
}

void check_right(const KernelCase& c, const LaunchOptions& options)
{
  const JudgedCase judged = judge_case(c);
  CAPTURE(judged.name);
  const KernelResult result = run(judged, options);
  CHECK(result.complaints == std::vector<std::string>{});
  CHECK(forward_ratio(judged, result) <= 1.0);
  CHECK(backward_ratio(judged, result) <= 1.0);
}

/// Every mask encoding, lengths on both sides of a tile's edge, heads that share keys and masks.
const std::vector<KernelCase> kMaskCases{
    {Mask::full, {false, 0}, 1, 1},
    {Mask::full, {false, 0}, 65, 129},
    {Mask::full, {false, 2}, 64, 63},
    {Mask::causal, {true, 0}, 129, 129},
    {Mask::causal, {true, 0}, 65, 129},
    {Mask::causal, {true, 0}, 129, 65, 64, 64, 1, 1, 1, 1, Causal::bottom_right},
    {Mask::causal_document, {true, 1}, 129, 129},
    {Mask::document, {false, 2}, 129, 129, 64, 64, 4, 2, 4},
    {Mask::causal_blockwise, {true, 2}, 129, 129, 64, 64, 2, 1, 2},
    {Mask::global_sliding_window, {false, 4}, 129, 129},
    {Mask::fully_masked_rows, {true, 1}, 129, 129},
    {Mask::fully_masked_rows, {false, 2}, 65, 63},
    {Mask::fully_masked_tiles, {false, 4}, 129, 257},
    {Mask::fully_masked_tiles, {true, 2}, 129, 257},
    {Mask::swapped_intervals, {false, 4}, 65, 129},
    {Mask::out_of_range, {true, 2}, 129, 65},
    {Mask::negative_values, {false, 4}, 129, 65, 64, 64, 2, 2, 2, 2},
};

/// Every instantiation, head dims that are padded, values narrower and wider than keys, both dtypes.
std::vector<KernelCase> head_dim_cases()
{
  std::vector<KernelCase> cases;
  const std::vector<std::pair<int, int>> head_dims{{8, 8},     {32, 32},   {64, 64},   {80, 80},
                                                   {96, 96},   {128, 128}, {136, 136}, {160, 160},
                                                   {192, 192}, {192, 128}, {64, 128},  {256, 256}};
  for (const auto& [head_dim, head_dim_v] : head_dims)
    for (Dtype dtype : {Dtype::bf16, Dtype::fp16})
      cases.push_back(
          {Mask::causal_document, {true, 1}, 65, 129, head_dim, head_dim_v, 2, 1, 1, 1, Causal::top_left, dtype});
  return cases;
}

TEST_CASE("v2 is within the bound for every mask encoding")
{
  for (const KernelCase& c : kMaskCases)
    check_right(c, {});
}

TEST_CASE("v2 with atomics is within the bound for every mask encoding")
{
  LaunchOptions options;
  options.deterministic = false;
  for (const KernelCase& c : kMaskCases)
    check_right(c, options);
}

TEST_CASE("v2 is within the bound for every head dim and dtype")
{
  for (const KernelCase& c : head_dim_cases())
    check_right(c, {});
}

TEST_CASE("v2 with atomics is within the bound for every head dim and dtype")
{
  LaunchOptions options;
  options.deterministic = false;
  for (const KernelCase& c : head_dim_cases())
    check_right(c, options);
}

TEST_CASE("naive is within the bound for every mask encoding and dtype")
{
  LaunchOptions options;
  options.family = Family::naive;
  for (KernelCase c : kMaskCases) {
    c.head_dim = 5;  // naive has no favourite sizes
    c.head_dim_v = 3;
    for (Dtype dtype : {Dtype::bf16, Dtype::fp16}) {
      c.dtype = dtype;
      check_right(c, options);
    }
  }
}

TEST_CASE("naive is within the bound at the largest head dim")
{
  LaunchOptions options;
  options.family = Family::naive;
  check_right({Mask::causal, {true, 0}, 33, 33, 256, 256}, options);
}

TEST_CASE("skipping tiles changes no bit")
{
  LaunchOptions skipping;
  LaunchOptions computing;
  computing.skips_tiles = false;
  for (const KernelCase& c : kMaskCases) {
    const JudgedCase judged = judge_case(c);
    CAPTURE(judged.name);
    const KernelResult with = run(judged, skipping);
    const KernelResult without = run(judged, computing);
    CHECK(without.complaints == std::vector<std::string>{});
    CHECK(same_bits(with.forward_bits, without.forward_bits));
    CHECK(same_bits(with.backward_bits, without.backward_bits));
  }
}

/// Schedules: orders of blocks and warps, blocks side by side, copies that arrive early and late.
std::vector<ExecutionOptions> schedules()
{
  std::vector<ExecutionOptions> all;
  for (std::uint64_t seed : {0, 1, 2, 3})
    for (std::uint32_t resident_blocks : {1U, 3U})
      for (AsyncPolicy async : {AsyncPolicy::at_issue, AsyncPolicy::at_wait}) {
        ExecutionOptions options;
        options.seed = seed;
        options.resident_blocks = resident_blocks;
        options.async = async;
        all.push_back(options);
      }
  return all;
}

const std::vector<KernelCase> kScheduleCases{
    {Mask::document, {false, 2}, 193, 257, 64, 64, 4, 2, 2},
    {Mask::causal, {true, 0}, 129, 129, 128, 128},  // warps side by side
    {Mask::causal, {true, 0}, 129, 129, 192, 192},  // one stage
};

TEST_CASE("no schedule changes a bit of a deterministic call, and none is complained about")
{
  for (const KernelCase& c : kScheduleCases) {
    const JudgedCase judged = judge_case(c);
    CAPTURE(judged.name);
    const KernelResult first = run(judged, {});
    for (const ExecutionOptions& options : schedules()) {
      CAPTURE(options.seed);
      CAPTURE(options.resident_blocks);
      const KernelResult result = runner(options).run(judged.problem, judged.mask, judged.inputs, {}, true);
      CHECK(result.complaints == std::vector<std::string>{});
      CHECK(same_bits(result.forward_bits, first.forward_bits));
      CHECK(same_bits(result.backward_bits, first.backward_bits));
    }
  }
}

TEST_CASE("atomics give other bits of dQ under other schedules, all within the bound")
{
  LaunchOptions atomic;
  atomic.deterministic = false;
  const JudgedCase judged = judge_case({Mask::full, {false, 0}, 64, 257});
  std::set<std::string> seen;
  for (const ExecutionOptions& options : schedules()) {
    const KernelResult result = runner(options).run(judged.problem, judged.mask, judged.inputs, atomic, true);
    CHECK(result.complaints == std::vector<std::string>{});
    CHECK(backward_ratio(judged, result) <= 1.0);
    seen.emplace(reinterpret_cast<const char*>(result.backward_bits.data()), result.backward_bits.size());
  }
  CHECK(seen.size() > 1);
}

TEST_CASE("version 2's LSE layout holds the same numbers, and +inf for fully masked rows")
{
  LaunchOptions raw;
  raw.lse_layout = LseLayout::version_2;
  for (const KernelCase& c : {KernelCase{Mask::fully_masked_rows, {true, 1}, 129, 129},
                              KernelCase{Mask::causal_document, {true, 1}, 65, 65, 64, 64, 2}}) {
    const JudgedCase judged = judge_case(c);
    const KernelResult canonical = run(judged, {});
    const KernelResult result = run(judged, raw);
    CHECK(result.complaints == std::vector<std::string>{});
    CHECK(backward_ratio(judged, result) <= 1.0);
    CHECK(same_bits(result.backward_bits, canonical.backward_bits));
    CHECK(result.forward_bits.size() > canonical.forward_bits.size());
  }
}

TEST_CASE("a kernel that is given a wrong mask is found out")
{
  const JudgedCase judged = judge_case({Mask::causal_document, {true, 1}, 129, 129});
  reference::ColumnMask wrong = judged.mask;
  wrong.startend_row_indices[5] += 1;  // B13: one row too many
  for (Family family : {Family::naive, Family::v2}) {
    LaunchOptions options;
    options.family = family;
    const KernelResult result = runner().run(judged.problem, wrong, judged.inputs, options, true);
    CHECK(forward_ratio(judged, result) > 1.0);
    CHECK(backward_ratio(judged, result) > 1.0);
  }
}

}  // namespace
}  // namespace flashgate::gpu::kernels
