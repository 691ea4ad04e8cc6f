#include "tests/gpu/mutation/tile_edge_mask.h"

#include <algorithm>
#include <array>
#include <random>

namespace flashgate::gpu::mutation {
namespace {

using Bounds = std::array<int, 4>;

/// Draws equal numbers everywhere, which std's distributions don't.
class Draw
{
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  int below(int count) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(count)); }

 private:
  std::mt19937_64 engine_;
};

/// Intervals from one edge of a query tile to another; possibly empty.
Bounds draw_bounds(Draw& draw, int seqlen_q, int tile)
{
  Bounds bounds{};
  for (int& bound : bounds)
    bound = std::min(draw.below(seqlen_q / tile + 2) * tile, seqlen_q);
  if (bounds[0] > bounds[1]) std::swap(bounds[0], bounds[1]);
  if (bounds[2] > bounds[3]) std::swap(bounds[2], bounds[3]);
  return bounds;
}

}  // namespace

reference::ColumnMask tile_edge_mask(const reference::Problem& problem, int mask_heads, int bounds_per_column, int tile,
                                     std::uint64_t seed)
{
  Draw draw(seed);
  reference::ColumnMask mask =
      reference::make_column_mask(problem.batch, mask_heads, problem.seqlen_k, bounds_per_column);
  for (int b = 0; b < problem.batch; ++b)
    for (int h = 0; h < mask_heads; ++h)
      for (int first = 0; first < problem.seqlen_k; first += tile) {
        const Bounds shared = draw_bounds(draw, problem.seqlen_q, tile);
        const int count = std::min(tile, problem.seqlen_k - first);
        const int odd_column = first + draw.below(count);
        const int odd_bound = draw.below(bounds_per_column);
        const int step = 2 * draw.below(2) - 1;
        for (int j = first; j < first + count; ++j)
          for (int c = 0; c < bounds_per_column; ++c)
            mask.bound(b, h, j, c) =
                shared[static_cast<std::size_t>(c)] + (j == odd_column && c == odd_bound ? step : 0);
      }
  return mask;
}

reference::ColumnMask scattered_mask(const reference::Problem& problem, int mask_heads, int bounds_per_column,
                                     std::uint64_t seed)
{
  Draw draw(seed);
  reference::ColumnMask mask =
      reference::make_column_mask(problem.batch, mask_heads, problem.seqlen_k, bounds_per_column);
  for (std::int32_t& bound : mask.startend_row_indices)
    bound = draw.below(problem.seqlen_q + 1);
  return mask;
}

}  // namespace flashgate::gpu::mutation
