#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/emulator/block.h"

namespace flashgate::gpu {

/// No warp can run: one finding for each place where some wait, saying who, for what, and what is missing.
void report_hang(Engine& engine, const std::vector<std::unique_ptr<Block>>& blocks);

/// Warps run, but get nowhere, for the reason given: one finding for each place where some are, waiters included.
void report_spin(Engine& engine, const std::vector<std::unique_ptr<Block>>& blocks, const std::string& reason);

}  // namespace flashgate::gpu
