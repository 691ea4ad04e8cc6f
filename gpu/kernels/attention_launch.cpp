#include "gpu/kernels/attention_launch.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "gpu/kernels/step_shape.h"
#include "gpu/kernels/tile_shape.h"
#include "reference/error.h"

namespace flashgate::gpu::kernels {
namespace {

using reference::Problem;

constexpr int kLargestGridYZ = 65535;
constexpr int kVersion2LseRows = 128;

int round_up(int value, int multiple) { return (value - 1) / multiple * multiple + multiple; }

std::uint32_t count(int length, int per_block) { return static_cast<std::uint32_t>((length - 1) / per_block + 1); }

int lse_rows(const Problem& problem, LseLayout layout)
{
  return layout == LseLayout::canonical ? problem.seqlen_q : round_up(problem.seqlen_q, kVersion2LseRows);
}

/// A tensor [batch, heads, rows, columns] without gaps.
HeadTensor dense(int heads, int rows, int columns)
{
  const std::int64_t row_stride = columns;
  return {0, heads * (rows * row_stride), rows * row_stride, row_stride};
}

RowValues dense(int heads, int rows) { return {0, std::int64_t{heads} * rows, rows}; }

/// Makes the steps of one direction.
class Planner
{
 public:
  Planner(const Problem& problem, const LaunchOptions& options)
      : problem_(problem), options_(options), shape_(tile_shape(problem.head_dim, problem.head_dim_v))
  {
    if (std::string why = refusal(problem, options); !why.empty()) throw Error(why);
    plan_.parameters = parameters_of(problem, options);
  }

  LaunchPlan forward()
  {
    if (options_.family == Family::naive) {
      add_naive("naive_forward", problem_.seqlen_q, problem_.num_heads);
      return std::move(plan_);
    }
    add_tile_bounds();
    add_v2("v2_forward", "v2_forward", forward_grid(), forward_threads(shape_), forward_shared_bytes(shape_));
    return std::move(plan_);
  }

  LaunchPlan backward()
  {
    const bool uses_atomics = options_.family == Family::v2 && !options_.deterministic;
    const std::size_t rows = rows_of_heads();
    plan_.workspace.delta = rows * sizeof(float);
    if (uses_atomics) {
      plan_.parameters.dq_columns = shape_.head_dim;
      plan_.workspace.dq_accumulator = rows * static_cast<std::size_t>(shape_.head_dim) * sizeof(float);
    }
    add_row_step("attention_delta");
    if (options_.family == Family::naive) {
      add_naive("naive_backward_queries", problem_.seqlen_q, problem_.num_heads);
      add_naive("naive_backward_keys", problem_.seqlen_k, problem_.num_heads_kv);
      return std::move(plan_);
    }
    add_tile_bounds();
    const int threads = backward_threads(shape_);
    const char* keys = uses_atomics ? "v2_backward_atomic" : "v2_backward_keys";
    add_v2("v2_backward", keys, keys_grid(), threads, backward_keys_shared_bytes(shape_));
    if (uses_atomics)
      add_row_step("attention_store_dq");
    else
      add_v2("v2_backward", "v2_backward_queries", forward_grid(), threads, backward_queries_shared_bytes(shape_));
    return std::move(plan_);
  }

 private:
  std::size_t rows_of_heads() const
  {
    return static_cast<std::size_t>(problem_.batch) * static_cast<std::size_t>(problem_.num_heads) *
           static_cast<std::size_t>(problem_.seqlen_q);
  }
  Dim3 grid(std::uint32_t x, int heads) const
  {
    return {x, static_cast<std::uint32_t>(heads), static_cast<std::uint32_t>(problem_.batch)};
  }
  Dim3 forward_grid() const { return grid(count(problem_.seqlen_q, shape_.block_m), problem_.num_heads); }
  Dim3 keys_grid() const { return grid(count(problem_.seqlen_k, shape_.block_n), problem_.num_heads_kv); }

  void add_naive(const std::string& name, int rows, int heads)
  {
    plan_.steps.push_back({"naive",
                           fmt::format("{}_{}", name, reference::name(problem_.dtype)),
                           grid(count(rows, kNaiveThreads), heads),
                           {kNaiveThreads, 1, 1},
                           0});
  }

  void add_row_step(const std::string& name)
  {
    plan_.steps.push_back({"attention_steps",
                           fmt::format("{}_{}", name, reference::name(problem_.dtype)),
                           grid(count(problem_.seqlen_q, kStepWarps), problem_.num_heads),
                           {kStepThreads, 1, 1},
                           0});
  }

  /// Without skipping nobody reads the bounds, so they are not made.
  void add_tile_bounds()
  {
    plan_.parameters.tile_columns = shape_.block_n;
    if (!options_.skips_tiles) return;
    const std::uint32_t tiles = count(problem_.seqlen_k, shape_.block_n);
    plan_.workspace.tile_bounds = static_cast<std::size_t>(problem_.batch) *
                                  static_cast<std::size_t>(options_.mask_heads) * tiles * sizeof(TileBounds);
    plan_.steps.push_back({"attention_steps",
                           "flashmask_tile_bounds",
                           grid(count(static_cast<int>(tiles), kStepWarps), options_.mask_heads),
                           {kStepThreads, 1, 1},
                           0});
  }

  void add_v2(const std::string& module, const std::string& name, Dim3 grid, int threads, int shared_bytes)
  {
    plan_.steps.push_back({fmt::format("{}_d{}", module, shape_.head_dim),
                           fmt::format("{}_{}_d{}", name, reference::name(problem_.dtype), shape_.head_dim),
                           grid,
                           {static_cast<std::uint32_t>(threads), 1, 1},
                           static_cast<std::uint32_t>(shared_bytes)});
  }

  const Problem& problem_;
  const LaunchOptions& options_;
  TileShape shape_;
  LaunchPlan plan_;
};

bool is_bounds_count(const Problem& problem, int bounds)
{
  const bool is_causal = problem.causal != reference::Causal::none;
  return bounds == 0 || bounds == 2 || bounds == (is_causal ? 1 : 4);
}

/// The rules that hold for v2 alone.
std::string v2_refusal(const Problem& problem)
{
  if (problem.head_dim % kChunkElements != 0 || problem.head_dim_v % kChunkElements != 0)
    return fmt::format("v2 needs head dims that are multiples of {}, not {} and {}", kChunkElements, problem.head_dim,
                       problem.head_dim_v);
  return {};
}

}  // namespace

AttentionParameters parameters_of(const Problem& problem, const LaunchOptions& options)
{
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  AttentionParameters p;
  p.q = p.dq = dense(problem.num_heads, problem.seqlen_q, problem.head_dim);
  p.o = p.d_o = dense(problem.num_heads, problem.seqlen_q, problem.head_dim_v);
  p.k = p.dk = dense(problem.num_heads_kv, problem.seqlen_k, problem.head_dim);
  p.v = p.dv = dense(problem.num_heads_kv, problem.seqlen_k, problem.head_dim_v);
  p.lse = dense(problem.num_heads, lse_rows(problem, options.lse_layout));
  p.delta = dense(problem.num_heads, problem.seqlen_q);
  p.column_bounds.heads = options.mask_heads;
  p.column_bounds.bounds_per_column = options.bounds_per_column;
  p.batch = problem.batch;
  p.num_heads = problem.num_heads;
  p.num_heads_kv = problem.num_heads_kv;
  p.seqlen_q = problem.seqlen_q;
  p.seqlen_k = problem.seqlen_k;
  p.head_dim = problem.head_dim;
  p.head_dim_v = problem.head_dim_v;
  p.is_causal = problem.causal == reference::Causal::none ? 0 : 1;
  p.causal_offset = problem.causal == reference::Causal::bottom_right ? problem.seqlen_k - problem.seqlen_q : 0;
  p.skips_tiles = options.skips_tiles ? 1 : 0;
  p.softmax_scale = static_cast<float>(problem.softmax_scale);
  p.lse_masked_row = options.lse_layout == LseLayout::canonical ? -kInfinity : kInfinity;
  return p;
}

std::size_t lse_elements(const Problem& problem, LseLayout layout)
{
  return static_cast<std::size_t>(problem.batch) * static_cast<std::size_t>(problem.num_heads) *
         static_cast<std::size_t>(lse_rows(problem, layout));
}

std::string refusal(const Problem& problem, const LaunchOptions& options)
{
  const int head_dim = std::max(problem.head_dim, problem.head_dim_v);
  if (std::min({problem.batch, problem.num_heads, problem.num_heads_kv, problem.seqlen_q, problem.seqlen_k,
                problem.head_dim, problem.head_dim_v}) < 1)
    return "attention kernels need extents of at least 1";
  if (head_dim > kHeadDimLargest)
    return fmt::format("attention kernels have head dims up to {}, not {}", kHeadDimLargest, head_dim);
  if (std::max(problem.batch, problem.num_heads) > kLargestGridYZ)
    return fmt::format("attention kernels take at most {} batch entries and heads", kLargestGridYZ);
  if (problem.num_heads % problem.num_heads_kv != 0)
    return fmt::format("{} query heads are no multiple of {} key/value heads", problem.num_heads, problem.num_heads_kv);
  if (options.mask_heads < 1 || problem.num_heads % options.mask_heads != 0)
    return fmt::format("{} query heads are no multiple of {} mask heads", problem.num_heads, options.mask_heads);
  if (!is_bounds_count(problem, options.bounds_per_column))
    return fmt::format("{} bounds per column mean nothing with causal {}", options.bounds_per_column,
                       reference::name(problem.causal));
  return options.family == Family::v2 ? v2_refusal(problem) : std::string();
}

LaunchPlan plan_forward(const Problem& problem, const LaunchOptions& options)
{
  return Planner(problem, options).forward();
}

LaunchPlan plan_backward(const Problem& problem, const LaunchOptions& options)
{
  return Planner(problem, options).backward();
}

std::vector<std::string> module_names()
{
  std::vector<std::string> names{"naive", "attention_steps"};
  for (const TileShape& shape : kTileShapes)
    for (const char* module : {"v2_forward", "v2_backward"})
      names.push_back(fmt::format("{}_d{}", module, shape.head_dim));
  return names;
}

}  // namespace flashgate::gpu::kernels
