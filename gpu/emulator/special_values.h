#pragma once

#include "gpu/emulator/warp.h"

namespace flashgate::gpu {

/// Fills the slots of Program::special_slots for a warp whose block is known.
void fill_special_slots(const Engine& engine, Warp& warp);

}  // namespace flashgate::gpu
