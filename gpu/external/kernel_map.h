#pragma once

#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/external/expression.h"
#include "gpu/kernels/attention_launch.h"
#include "reference/problem.h"

namespace flashgate::gpu::external {

/// An argument of an entry. It is passed as whatever type the entry's parameter has.
struct SoftmaxScale
{
};
using Argument = std::variant<TensorAddress, SoftmaxScale, Expression>;

/// The argument that a map's text means: a tensor's name, "softmax_scale", or an expression. Throws Error.
Argument parse_argument(const std::string& text);

/// A launch, with what it depends on still open. `entry` may have {dtype}, {head_dim} and {head_dim_v} in it.
struct MapStep
{
  std::string place;  ///< "map.toml:12", for messages
  std::string entry;
  std::array<Expression, 3> grid{Expression("1"), Expression("1"), Expression("1")};
  std::array<Expression, 3> block{Expression("1"), Expression("1"), Expression("1")};
  Expression shared_bytes;  ///< dynamic
  std::vector<Argument> arguments;
};

/// One direction: steps one after the other.
struct MapDirection
{
  std::vector<MapStep> steps;  ///< none: the kernel lacks the direction
  Expression workspace_bytes;  ///< of the tensor "workspace"; nobody has written it before the first step
};

/// What the kernel can do. Everything else is a skip with the reason.
struct MapSupport
{
  std::vector<reference::Dtype> dtypes;
  std::vector<std::pair<int, int>> head_dims;  ///< of Q and K, of V and O
  std::vector<reference::Causal> causal;
  std::vector<int> mask_columns;  ///< of 0, 1, 2 and 4
  int seqlen_multiple = 1;        ///< both lengths
  bool grouped_heads = true;      ///< num_heads_kv less than num_heads
  bool deterministic = true;      ///< backward gives equal bits in every run
  bool nondeterministic = true;   ///< may answer for calls that promise nothing
};

/// A kernel that somebody else wrote, and how an attention call becomes its arguments. Plain data, immutable once made.
struct KernelMap
{
  std::string text;  ///< of the map's file: part of what identifies the kernel
  std::string ptx;   ///< the module's text
  std::string ptx_name;
  int generation = 2;              ///< which kernel of the numerics matrix it answers for: 2 for v2, 0 for naive
  bool rows_before_heads = false;  ///< bshd; else bhsd
  kernels::LseLayout lse_layout = kernels::LseLayout::canonical;
  MapSupport support;
  MapDirection forward;
  MapDirection backward;
};

/// The entry of a step at a dtype and head dims.
std::string entry_name(const MapStep& step, reference::Dtype dtype, std::pair<int, int> head_dims);

/// Why the kernel can't run the call, one line; empty if it can.
std::string refusal(const KernelMap& map, const reference::Problem& problem, const kernels::LaunchOptions& options,
                    bool backward);

/// True if a stride is passed anywhere: tensors may have gaps then.
bool takes_strides(const KernelMap& map);

}  // namespace flashgate::gpu::external
