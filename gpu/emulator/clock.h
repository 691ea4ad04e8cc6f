#pragma once

#include <cstdint>
#include <string_view>

#include "gpu/emulator/isa/instruction.h"

namespace flashgate::gpu {

/// True for the special registers that count: %clock, %clock_hi, %clock64, %globaltimer and its halves.
bool is_clock(std::string_view special_register);

/// Reads one into slot 0, a register of `bytes`. All count executed warp instructions, so that equal runs stay equal.
isa::Handler clock_handler(std::string_view special_register, std::uint32_t bytes);

}  // namespace flashgate::gpu
