#pragma once

#include <cstdint>

namespace flashgate::gpu {

/// Sums of 16-bit floating-point numbers, given and returned as bits; rounded to nearest even, subnormals kept, a NaN
/// is 0x7FFF (the PTX ISA's canonical one).
std::uint16_t f16_sum(std::uint16_t a, std::uint16_t b);
std::uint16_t bf16_sum(std::uint16_t a, std::uint16_t b);

}  // namespace flashgate::gpu
