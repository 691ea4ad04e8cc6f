#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/emulator/warp.h"

namespace flashgate::gpu {

/// A finding at an instruction of `warp`; later ones of the same check and place are counted only.
void report(Engine& engine, const Warp& warp, Check check, isa::LaneMask lanes, std::int32_t instruction,
            std::int32_t other, const std::string& detail);

/// "warp 3", "warps 0-2, 5". `warps` are in ascending order.
std::string warp_list(const std::vector<std::uint32_t>& warps);

/// "lane 7", "lanes 0-15, 20".
std::string lane_list(isa::LaneMask lanes);

}  // namespace flashgate::gpu
