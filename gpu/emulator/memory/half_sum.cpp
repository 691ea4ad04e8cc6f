#include "gpu/emulator/memory/half_sum.h"

#include <bit>
#include <cmath>

namespace flashgate::gpu {
namespace {

constexpr std::uint16_t kNan = 0x7FFF;

float f16_value(std::uint16_t bits)
{
  const std::uint32_t exponent = bits >> 10 & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F80'0000U | fraction << 13);
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(fraction | 0x400U), static_cast<int>(exponent) - 25);
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

/// Nearest f16 to `value`, which is no NaN. In units of the last place rounding is that of an integer.
std::uint16_t f16_bits(float value)
{
  const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0;
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
  const int exponent = magnitude < 0x1p-14F ? -14 : std::ilogb(magnitude);
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // The hidden bit, where there is one, adds 1 to the exponent field; a carry out of the fraction another.
  return static_cast<std::uint16_t>(sign | ((static_cast<std::uint32_t>(exponent + 14) << 10) + units));
}

}  // namespace

// The sum of two 11-bit (8-bit) significands is rounded to 24 bits first: 24 >= 2 * 11 + 2, so rounding twice gives
// what rounding once would.
std::uint16_t f16_sum(std::uint16_t a, std::uint16_t b)
{
  const float sum = f16_value(a) + f16_value(b);
  return std::isnan(sum) ? kNan : f16_bits(sum);
}

std::uint16_t bf16_sum(std::uint16_t a, std::uint16_t b)
{
  const float sum = std::bit_cast<float>(std::uint32_t{a} << 16) + std::bit_cast<float>(std::uint32_t{b} << 16);
  if (std::isnan(sum)) return kNan;
  const auto bits = std::bit_cast<std::uint32_t>(sum);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

}  // namespace flashgate::gpu
