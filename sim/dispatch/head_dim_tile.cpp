#include "sim/dispatch/head_dim_tile.h"

#include <initializer_list>

namespace flashgate::sim {
namespace {

int round_up(int value, int step) { return (value + step - 1) / step * step; }

}  // namespace

int tile_head_dim(int head_dim)
{
  for (const int tile : {32, 64, 96, 128, 192, 256})
    if (head_dim <= tile) return tile;
  return 0;
}

int accumulator_head_dim(int head_dim) { return round_up(head_dim, head_dim <= 128 ? 32 : 64); }

}  // namespace flashgate::sim
