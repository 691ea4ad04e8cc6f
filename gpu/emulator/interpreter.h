#pragma once

#include "gpu/emulator/block.h"

namespace flashgate::gpu {

/// Backward branches that a warp may take before others have their turn.
inline constexpr std::uint32_t kQuantum = 2048;
/// The same while lanes of the warp are at different places.
inline constexpr std::uint32_t kSplitQuantum = 256;

/// Runs a warp until nothing of it can run, all of it exited, or its turn is over. Throws LaunchEnded.
void run_warp(Engine& engine, Warp& warp);

}  // namespace flashgate::gpu
