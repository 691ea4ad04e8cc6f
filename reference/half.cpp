#include "reference/half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace flashgate::reference {
namespace {

constexpr int kDoubleFractionBits = 52;
constexpr int kDoubleBias = 1023;
constexpr std::uint64_t kDoubleFractionMask = (std::uint64_t{1} << kDoubleFractionBits) - 1;

/// One 16-bit binary format.
struct Format
{
  int exponent_bits;
  int fraction_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int smallest_normal_exponent() const { return 1 - bias(); }
  constexpr std::uint16_t infinity() const
  {
    return static_cast<std::uint16_t>(((1U << exponent_bits) - 1U) << fraction_bits);
  }
  constexpr std::uint16_t quiet_nan() const
  {
    return static_cast<std::uint16_t>(infinity() | (1U << (fraction_bits - 1)));
  }
};

constexpr Format kBf16{8, 7};
constexpr Format kFp16{5, 10};

constexpr const Format& format_of(Dtype dtype) { return dtype == Dtype::bf16 ? kBf16 : kFp16; }

constexpr double smallest_normal(Dtype dtype) { return dtype == Dtype::bf16 ? 0x1p-126 : 0x1p-14; }

/// `significand` / 2^shift, nearest, ties to even. REQUIRES: 0 < shift < 64.
std::uint64_t shift_right_to_nearest_even(std::uint64_t significand, int shift)
{
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return kept + ((rest > half || (rest == half && (kept & 1U) != 0)) ? 1U : 0U);
}

/// Magnitude bits of a finite, non-zero double. A carry out of the fraction runs into the exponent by itself, up to
/// infinity, because the exponent field sits directly above.
std::uint64_t round_magnitude(const Format& format, std::uint64_t magnitude)
{
  const int exponent = static_cast<int>(magnitude >> kDoubleFractionBits) - kDoubleBias;
  const std::uint64_t significand = (magnitude & kDoubleFractionMask) | (std::uint64_t{1} << kDoubleFractionBits);
  const int narrowing = kDoubleFractionBits - format.fraction_bits;
  const int lowest = format.smallest_normal_exponent();
  if (exponent >= lowest) {
    const std::uint64_t rounded = shift_right_to_nearest_even(significand, narrowing);
    const auto biased = static_cast<std::uint64_t>(exponent + format.bias() - 1);  // the implicit bit adds the last one
    return (biased << format.fraction_bits) + rounded;
  }
  const int shift = narrowing + (lowest - exponent);
  return shift > kDoubleFractionBits + 2 ? 0 : shift_right_to_nearest_even(significand, shift);
}

/// Rounds to the format; infinities, NaN and zero are settled before the arithmetic.
std::uint16_t bits_of(const Format& format, double value)
{
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 63) << 15);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | format.quiet_nan());
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | format.infinity());
  if (magnitude >> kDoubleFractionBits == 0) return sign;  // zero, or far below every subnormal of either format
  const std::uint64_t rounded = round_magnitude(format, magnitude);
  return static_cast<std::uint16_t>(sign | (rounded < format.infinity() ? rounded : format.infinity()));
}

/// Exact: every value of either format is a double.
double value_of(const Format& format, std::uint16_t bits)
{
  const unsigned magnitude = bits & 0x7FFFU;
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const unsigned exponent = magnitude >> format.fraction_bits;
  const unsigned fraction = magnitude & ((1U << format.fraction_bits) - 1U);
  if (magnitude > format.infinity()) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (magnitude == format.infinity()) return sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(static_cast<double>(fraction), format.smallest_normal_exponent() - format.fraction_bits);
  const auto biased = static_cast<std::uint64_t>(static_cast<int>(exponent) - format.bias() + kDoubleBias);
  const std::uint64_t widened = std::uint64_t{fraction} << (kDoubleFractionBits - format.fraction_bits);
  return sign * std::bit_cast<double>(biased << kDoubleFractionBits | widened);
}

/// Position of a non-NaN pattern on the number line, both zeros at 0.
std::int64_t ordinal(std::uint16_t bits)
{
  const std::int64_t magnitude = bits & 0x7FFF;
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::uint16_t bf16_bits(double value) { return bits_of(kBf16, value); }
std::uint16_t fp16_bits(double value) { return bits_of(kFp16, value); }
double bf16_value(std::uint16_t bits) { return value_of(kBf16, bits); }
double fp16_value(std::uint16_t bits) { return value_of(kFp16, bits); }

std::uint16_t to_bits(Dtype dtype, double value) { return bits_of(format_of(dtype), value); }
double from_bits(Dtype dtype, std::uint16_t bits) { return value_of(format_of(dtype), bits); }

double round_to(Dtype dtype, double value)
{
  const Format& format = format_of(dtype);
  const double magnitude = std::fabs(value);
  if (!(magnitude >= smallest_normal(dtype)) || magnitude > largest_finite(dtype)) {
    return from_bits(dtype, to_bits(dtype, value));
  }
  // Normal range: round the double's own fraction in place; a carry moves to the next binade as it should.
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int narrowing = kDoubleFractionBits - format.fraction_bits;
  return std::bit_cast<double>(shift_right_to_nearest_even(bits, narrowing) << narrowing);
}

double unit_roundoff(Dtype dtype) { return dtype == Dtype::bf16 ? 0x1p-8 : 0x1p-11; }
double smallest_subnormal(Dtype dtype) { return dtype == Dtype::bf16 ? 0x1p-133 : 0x1p-24; }
double largest_finite(Dtype dtype) { return dtype == Dtype::bf16 ? 0x1.FEp127 : 65504.0; }

std::int64_t ulp_distance(Dtype dtype, double a, double b)
{
  const bool a_nan = std::isnan(a);
  const bool b_nan = std::isnan(b);
  if (a_nan || b_nan) return a_nan && b_nan ? 0 : std::numeric_limits<std::int64_t>::max();
  return std::abs(ordinal(to_bits(dtype, a)) - ordinal(to_bits(dtype, b)));
}

}  // namespace flashgate::reference
