#pragma once

#include <string>
#include <vector>

#include "gpu/attention/kernel_library.h"
#include "gpu/kernels/attention_launch.h"
#include "tests/gpu/kernels/judged_case.h"

namespace flashgate::gpu::mutation {

/// Where a case has its mask from. With `nan_keys` no query sees the first key tile, with `nan_queries` the first query
/// tile sees no key, and the first rows of K and V, or of Q and dO, are NaN: so is what a copy of too many bytes
/// brings.
enum class MaskSource { family, tile_edges, scattered, nan_keys, nan_queries };

/// A small call.
struct MutationCase
{
  kernels::KernelCase shape;
  MaskSource mask = MaskSource::family;
  bool skips_tiles = true;
};
kernels::JudgedCase judge_case(const MutationCase& c);

/// A kernel that is mutated, and how it is called.
struct MutationTarget
{
  std::string module;
  std::string entry;
  kernels::LaunchOptions options;
  bool is_backward = false;
  std::vector<MutationCase> cases;   ///< the one that finds most comes first
  std::vector<std::string> rules{};  ///< only these; empty: all
};

/// What a case of a target is launched with.
kernels::LaunchOptions options_of(const MutationTarget& target, const MutationCase& c);

/// naive and v2, forward and backward, and the small kernels around them.
std::vector<MutationTarget> mutation_targets();

}  // namespace flashgate::gpu::mutation
