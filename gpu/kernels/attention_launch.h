#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/emulator/finding.h"
#include "gpu/kernels/attention_parameters.h"
#include "reference/problem.h"

namespace flashgate::gpu::kernels {

/// What is launched for an attention call, in which order, with which parameters and how much workspace: the host's
/// half of this folder. Pure functions, any thread; nothing here knows a device.

enum class Family {
  naive,  ///< a thread a row
  v2,     ///< FlashAttention-2: mma.sync, ldmatrix, cp.async; sm_80 and later
};

/// How LSE lies in memory.
enum class LseLayout {
  canonical,  ///< [batch, heads, seqlen_q], -inf for a fully masked row
  version_2,  ///< [batch, heads, seqlen_q rounded up to 128], +inf for a fully masked row; the rest is not written
};

struct LaunchOptions
{
  Family family = Family::v2;
  bool deterministic = true;  ///< backward: dQ added up in a fixed order, else by atomics; naive is always ordered
  bool skips_tiles = true;    ///< v2: leave out tiles that are masked altogether; never changes a bit
  LseLayout lse_layout = LseLayout::canonical;
  int mask_heads = 1;
  int bounds_per_column = 0;  ///< 0, 1, 2 or 4; 0: no column mask
};

struct LaunchStep
{
  std::string module;  ///< the PTX file without ".ptx": "v2_forward_d64"
  std::string entry;   ///< "v2_forward_bf16_d64"
  Dim3 grid;
  Dim3 block;
  std::uint32_t shared_bytes = 0;  ///< dynamic

  /// The parameters' bytes, once addresses are in; empty: the entry takes AttentionParameters, as all of ours do.
  std::function<std::vector<std::byte>(const AttentionParameters&)> arguments{};
};

/// Bytes of workspace that a direction needs. Nothing has to be set before the first step: the steps do it.
struct Workspace
{
  std::size_t tile_bounds = 0;
  std::size_t delta = 0;
  std::size_t dq_accumulator = 0;
};

/// One direction of an attention call. Steps run one after the other, each with `parameters` once the addresses are in.
struct LaunchPlan
{
  std::vector<LaunchStep> steps;
  Workspace workspace;
  AttentionParameters parameters;  ///< everything but addresses; tensors bhsd without gaps, as long as the lengths
};

/// What steps read, but for addresses and workspace.
AttentionParameters parameters_of(const reference::Problem& problem, const LaunchOptions& options);

/// Elements of the LSE tensor in a layout.
std::size_t lse_elements(const reference::Problem& problem, LseLayout layout);

/// Why these kernels can't run the problem, one line; empty if they can.
std::string refusal(const reference::Problem& problem, const LaunchOptions& options);

/// The steps of O and LSE / of dQ, dK and dV from a forward's O and LSE. Throw Error with the line of refusal().
LaunchPlan plan_forward(const reference::Problem& problem, const LaunchOptions& options);
LaunchPlan plan_backward(const reference::Problem& problem, const LaunchOptions& options);

/// The names of all PTX files, without ".ptx".
std::vector<std::string> module_names();

}  // namespace flashgate::gpu::kernels
