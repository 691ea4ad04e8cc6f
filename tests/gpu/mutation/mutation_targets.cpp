#include "tests/gpu/mutation/mutation_targets.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "reference/input_fill.h"
#include "tests/gpu/mutation/tile_edge_mask.h"

namespace flashgate::gpu::mutation {
namespace {

using kernels::Family;
using kernels::LaunchOptions;
using reference::Causal;
using reference::Dtype;
using Mask = reference::Family;

constexpr int kTile = 64;  ///< of v2's queries and keys
constexpr std::uint64_t kSeed = 11;
constexpr std::size_t kOrderCases = 3;  ///< several tiles and blocks: enough where only the order of steps is mutated

struct HeadDims
{
  int qk;
  int v;
};

/// Calls that together meet every branch: every mask encoding, both causal corners, lengths beside tile edges and of
/// one, heads that share keys and masks, tiles that are skipped. Each has other head dims, drawn in turn from a list.
std::vector<MutationCase> small_cases(const std::vector<HeadDims>& head_dims, Dtype dtype)
{
  std::vector<MutationCase> cases{
      {{Mask::full, {false, 4}, 100, 175, 0, 0, 2, 1, 2}, MaskSource::scattered},
      {{Mask::causal_document, {true, 1}, 72, 137, 0, 0, 2, 1, 2, 2}},
      {{Mask::full, {true, 2}, 129, 193, 0, 0, 2, 2, 2}, MaskSource::tile_edges},
      {{Mask::document, {false, 2}, 65, 129, 0, 0, 4, 2, 4}},
      {{Mask::full, {false, 0}, 1, 1}},
      {{Mask::full, {false, 2}, 130, 65, 0, 0, 1, 1, 1, 2}, MaskSource::tile_edges},
      {{Mask::causal_blockwise, {true, 2}, 65, 100}, MaskSource::family, false},
      {{Mask::full, {true, 1}, 192, 128}, MaskSource::tile_edges},
      {{Mask::fully_masked_rows, {true, 1}, 129, 65}},
      {{Mask::causal, {true, 0}, 129, 65, 0, 0, 1, 1, 1, 1, Causal::bottom_right}},
      {{Mask::full, {false, 0}, 64, 128}},
      {{Mask::swapped_intervals, {false, 4}, 65, 64}},
      {{Mask::full, {false, 4}, 193, 193, 0, 0, 4, 4, 4, 2}, MaskSource::tile_edges},
      {{Mask::full, {false, 4}, 129, 449}, MaskSource::tile_edges},
      {{Mask::full, {true, 2}, 193, 449}, MaskSource::tile_edges},
      {{Mask::full, {false, 2}, 129, 449}, MaskSource::tile_edges},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].shape.head_dim = head_dims[i % head_dims.size()].qk;
    cases[i].shape.head_dim_v = head_dims[i % head_dims.size()].v;
    cases[i].shape.dtype = dtype;
  }
  return cases;
}

/// Calls that show a copy of bytes it should have left out: dims and lengths that no tile and no kernel divides.
std::vector<MutationCase> nan_cases(Dtype dtype)
{
  return {
      {{Mask::full, {true, 1}, 129, 164, 24, 16, 2, 1, 1, 1, Causal::top_left, dtype}, MaskSource::nan_keys},
      {{Mask::full, {true, 1}, 200, 64, 24, 16, 2, 1, 1, 1, Causal::bottom_right, dtype}, MaskSource::nan_queries},
  };
}

std::vector<MutationCase> operator+(std::vector<MutationCase> some, const std::vector<MutationCase>& more)
{
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

/// Calls of many key tiles, for what classes them.
std::vector<MutationCase> many_tile_cases(Dtype dtype)
{
  std::vector<MutationCase> cases{{{Mask::full, {false, 0}, 65, 130, 8, 8, 1, 1, 1, 1, Causal::top_left, dtype}}};
  for (const reference::Encoding encoding : {reference::Encoding{true, 1}, {true, 2}, {false, 2}, {false, 4}})
    cases.push_back(
        {{Mask::full, encoding, 193, 577, 8, 8, 2, 2, 2, 2, Causal::top_left, dtype}, MaskSource::tile_edges});
  return cases;
}

/// Calls of few rows and wide heads, for loops over columns that start with one per lane.
std::vector<MutationCase> wide_cases(Dtype dtype)
{
  std::vector<MutationCase> cases;
  for (const HeadDims& dims : {HeadDims{160, 136}, HeadDims{32, 160}, HeadDims{8, 8}, HeadDims{128, 128}})
    cases.push_back({{Mask::full, {false, 0}, 5, 9, dims.qk, dims.v, 2, 1, 1, 2, Causal::top_left, dtype}});
  return cases;
}

void make_first_rows_nan(reference::Tensor<double>& tensor)
{
  for (int b = 0; b < tensor.batch(); ++b)
    for (int h = 0; h < tensor.heads(); ++h)
      tensor.head(b, h).row(0).fill(std::numeric_limits<double>::quiet_NaN());
}

kernels::JudgedCase judge_nan(const MutationCase& c)
{
  const bool is_in_keys = c.mask == MaskSource::nan_keys;
  const reference::Problem problem = kernels::problem_of(c.shape);
  reference::ColumnMask mask = reference::make_column_mask(problem.batch, 1, problem.seqlen_k, 1);
  for (int b = 0; b < problem.batch; ++b)
    for (int j = is_in_keys ? kTile : 0; j < problem.seqlen_k; ++j)
      mask.bound(b, 0, j, 0) = problem.seqlen_q;
  reference::AttentionInputs inputs = fill_inputs(reference::Fill::uniform, problem, mask, kSeed);
  make_first_rows_nan(is_in_keys ? inputs.k : inputs.q);
  make_first_rows_nan(is_in_keys ? inputs.v : inputs.d_o);
  return kernels::judge_inputs(is_in_keys ? "NaN in a key tile that is skipped" : "NaN in a query tile that is skipped",
                               problem, std::move(mask), std::move(inputs));
}

LaunchOptions family(Family family, bool deterministic = true)
{
  LaunchOptions options;
  options.family = family;
  options.deterministic = deterministic;
  return options;
}

}  // namespace

kernels::JudgedCase judge_case(const MutationCase& c)
{
  if (c.mask == MaskSource::family) return kernels::judge_case(c.shape);
  if (c.mask == MaskSource::nan_keys || c.mask == MaskSource::nan_queries) return judge_nan(c);
  const reference::Problem problem = kernels::problem_of(c.shape);
  const int bounds = c.shape.encoding.bounds_per_column;
  const bool has_edges = c.mask == MaskSource::tile_edges;
  const std::string name = fmt::format("{} {} bounds {} {}x{} d {}/{}", has_edges ? "tile edges" : "scattered",
                                       reference::name(problem.causal), bounds, problem.seqlen_q, problem.seqlen_k,
                                       problem.head_dim, problem.head_dim_v);
  return kernels::judge_problem(name, problem,
                                has_edges ? tile_edge_mask(problem, c.shape.mask_heads, bounds, kTile, kSeed)
                                          : scattered_mask(problem, c.shape.mask_heads, bounds, kSeed));
}

LaunchOptions options_of(const MutationTarget& target, const MutationCase& c)
{
  LaunchOptions options = target.options;
  options.skips_tiles = c.skips_tiles;
  return options;
}

std::vector<MutationTarget> mutation_targets()
{
  const LaunchOptions naive = family(Family::naive);
  const LaunchOptions v2 = family(Family::v2);
  const LaunchOptions atomic = family(Family::v2, false);
  const auto of_naive = small_cases({{5, 3}, {1, 4}, {4, 1}, {2, 6}, {6, 5}, {1, 1}, {7, 2}}, Dtype::bf16);
  const auto d32 = small_cases({{24, 32}, {32, 16}, {8, 24}, {16, 8}}, Dtype::bf16) + nan_cases(Dtype::bf16);
  const auto d32_fp16 = small_cases({{24, 32}, {32, 16}, {8, 24}, {16, 8}}, Dtype::fp16) + nan_cases(Dtype::fp16);
  auto d96 = small_cases({{96, 88}}, Dtype::bf16);
  auto d192 = small_cases({{192, 168}}, Dtype::bf16);
  d96.resize(kOrderCases);
  d192.resize(kOrderCases);
  // Of kernels that are others at another size, or with something added, only that.
  const std::vector<std::string> order{"barrier removed", "wait weakened", "commit removed"};
  const std::vector<std::string> sums{"barrier removed", "atomic split", "store removed", "mma operands swapped",
                                      "guard ignored"};
  return {
      {"naive", "naive_forward_bf16", naive, false, of_naive},
      {"naive", "naive_backward_queries_bf16", naive, true, of_naive},
      {"naive", "naive_backward_keys_bf16", naive, true, of_naive},
      {"attention_steps", "flashmask_tile_bounds", v2, false, many_tile_cases(Dtype::bf16)},
      {"attention_steps", "attention_delta_bf16", atomic, true, wide_cases(Dtype::bf16)},
      {"attention_steps", "attention_store_dq_fp16", atomic, true, wide_cases(Dtype::fp16)},
      {"v2_forward_d32", "v2_forward_bf16_d32", v2, false, d32},
      {"v2_backward_d32", "v2_backward_keys_bf16_d32", v2, true, d32},
      {"v2_backward_d32", "v2_backward_queries_bf16_d32", v2, true, d32},
      {"v2_backward_d32", "v2_backward_atomic_fp16_d32", atomic, true, d32_fp16, sums},
      {"v2_backward_d96", "v2_backward_keys_bf16_d96", v2, true, d96, order},
      {"v2_backward_d96", "v2_backward_queries_bf16_d96", v2, true, d96, order},
      {"v2_backward_d192", "v2_backward_keys_bf16_d192", v2, true, d192, order},
      {"v2_backward_d192", "v2_backward_queries_bf16_d192", v2, true, d192, order},
  };
}

}  // namespace flashgate::gpu::mutation
