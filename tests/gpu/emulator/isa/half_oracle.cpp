#include "half_oracle.h"

#include <cmath>
#include <limits>

namespace flashgate::gpu::isa {
namespace {

struct Layout
{
  int fraction_bits;
  int bias;
  std::uint64_t infinity;
};

Layout layout(HalfFormat format) { return format == HalfFormat::f16 ? Layout{10, 15, 0x7C00} : Layout{7, 127, 0x7F80}; }

/// Positive bits with the largest value not above `magnitude`; values grow with their bits.
std::uint64_t floor_bits(HalfFormat format, long double magnitude)
{
  std::uint64_t low = 0;
  std::uint64_t high = layout(format).infinity;  // exclusive
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (half_value(format, middle) <= magnitude ? low : high) = middle;
  }
  return low;
}

/// What follows the largest number, had the exponent no end: where rounding to infinity begins is half-way to it.
long double upper_neighbour(HalfFormat format, std::uint64_t bits)
{
  if (bits + 1 < layout(format).infinity) return half_value(format, bits + 1);
  const long double last = half_value(format, bits);
  return last + (last - half_value(format, bits - 1));
}

}  // namespace

double half_value(HalfFormat format, std::uint64_t bits)
{
  const Layout at = layout(format);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << at.fraction_bits) - 1);
  const int exponent = static_cast<int>((bits & 0x7FFF) >> at.fraction_bits);
  const double sign = bits & 0x8000 ? -1 : 1;
  if ((bits & at.infinity) == at.infinity)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t significand = exponent == 0 ? fraction : fraction | std::uint64_t{1} << at.fraction_bits;
  return sign *
         std::ldexp(static_cast<double>(significand), (exponent == 0 ? 1 : exponent) - at.bias - at.fraction_bits);
}

std::uint64_t rounded_half(HalfFormat format, long double exact, Rounding rounding)
{
  if (std::isnan(exact)) return 0x7FFF;
  const std::uint64_t sign = std::signbit(exact) ? 0x8000 : 0;
  const long double magnitude = std::fabs(exact);
  if (std::isinf(exact)) return sign | layout(format).infinity;
  const std::uint64_t below = floor_bits(format, magnitude);
  if (half_value(format, below) == magnitude) return sign | below;
  if (rounding == Rounding::rz) return sign | below;
  if (rounding == Rounding::rm) return sign | (sign != 0 ? below + 1 : below);
  if (rounding == Rounding::rp) return sign | (sign != 0 ? below : below + 1);
  const long double to_lower = magnitude - half_value(format, below);
  const long double to_upper = upper_neighbour(format, below) - magnitude;
  const bool up = to_upper < to_lower || (to_upper == to_lower && (below & 1) != 0);
  return sign | (up ? below + 1 : below);
}

bool is_half_nan(HalfFormat format, std::uint64_t bits) { return (bits & 0x7FFF) > layout(format).infinity; }

std::uint64_t flushed_half(HalfFormat format, std::uint64_t bits)
{
  return (bits & layout(format).infinity) == 0 ? bits & 0x8000 : bits;
}

}  // namespace flashgate::gpu::isa
