#pragma once

#include "gpu/kernels/tile_shape.h"

namespace flashgate::gpu::kernels {

/// Blocks of the small kernels around v2 (a warp a row or a key tile), and of naive (a thread a row).
inline constexpr int kStepWarps = 4;
inline constexpr int kStepThreads = kStepWarps * kWarpLanes;
inline constexpr int kNaiveThreads = 64;

}  // namespace flashgate::gpu::kernels
