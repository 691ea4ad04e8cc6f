#pragma once

#include "gpu/emulator/isa/lanes/float_mode.h"
#include "gpu/emulator/isa/lanes/half_format.h"

/// Conversions of single values by way of f64, which holds every f16, bf16, f32 and 32-bit integer exactly. They round
/// in the direction that the mode has at the moment (float_mode.h). PTX ISA, "cvt".
namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

/// The nearest 64-bit integer in the mode's direction; |x| < 2^63.
FLASHGATE_INLINE s64 to_s64(f64 x) { return _mm_cvtsd_si64(_mm_set_sd(x)); }

FLASHGATE_INLINE bool is_number(f64 x) { return x == x; }

template <typename T>
inline constexpr s64 kLowest = kIsSigned<T> ? s64(~u64{0} << (8 * sizeof(T) - 1)) : 0;
template <typename T>
inline constexpr u64 kHighest = static_cast<Unsigned<T>>(~Unsigned<T>(0)) >> (kIsSigned<T> ? 1 : 0);

/// What is beyond the range of T becomes its end. What is no number becomes 0, but the highest bit alone where f64 or a
/// 64-bit integer takes part.
template <typename T, bool kWideSource>
FLASHGATE_INLINE T to_integer(f64 x)
{
  constexpr bool kWide = kWideSource || sizeof(T) == 8;
  if (!is_number(x)) return kWide ? static_cast<T>(Unsigned<T>(1) << (8 * sizeof(T) - 1)) : T(0);
  if (x >= 0x1p63) {
    if (kIsSigned<T> || sizeof(T) < 8 || x >= 0x1p64) return static_cast<T>(kHighest<T>);
    return static_cast<T>(static_cast<u64>(to_s64(x - 0x1p63)) ^ u64{1} << 63);
  }
  if (x < -0x1p63) return static_cast<T>(kLowest<T>);
  const s64 n = to_s64(x);
  if (n < kLowest<T>) return static_cast<T>(kLowest<T>);
  return n > 0 && static_cast<u64>(n) > kHighest<T> ? static_cast<T>(kHighest<T>) : static_cast<T>(n);
}

/// Rounded to an integer, as f64. Zeros keep the sign of x.
FLASHGATE_INLINE f64 to_integral(f64 x)
{
  if (!(x < 0x1p52 && x > -0x1p52)) return x;
  const u64 sign = as_bits<u64>(x) & kSignBit<f64>;
  return as_bits<f64>(as_bits<u64>(static_cast<f64>(to_s64(x))) | sign);
}

/// Precision in bits, exponents and largest value of a format narrower than f32.
template <typename Format>
struct FormatLimits;
template <>
struct FormatLimits<F16>
{
  static constexpr int kPrecision = 11;
  static constexpr int kLowestExponent = -14;
  static constexpr f64 kLargest = 65504;
};
template <>
struct FormatLimits<Bf16>
{
  static constexpr int kPrecision = 8;
  static constexpr int kLowestExponent = -126;
  static constexpr f64 kLargest = 0x1.FEp127;
};
struct Tf32;
template <>
struct FormatLimits<Tf32>
{
  static constexpr int kPrecision = 11;
  static constexpr int kLowestExponent = -126;
  static constexpr f64 kLargest = 0x1.FFCp127;
};

FLASHGATE_INLINE f64 power_of_two_f64(int n) { return as_bits<f64>(static_cast<u64>(n + 1023) << 52); }

/// `x`, which overflowed, in the direction kRounding.
template <typename Format, Rounding kRounding, bool kSatFinite>
FLASHGATE_INLINE f64 overflowed(f64 x)
{
  constexpr bool kUp = kRounding == Rounding::rn || kRounding == Rounding::rp;
  constexpr bool kDown = kRounding == Rounding::rn || kRounding == Rounding::rm;
  const bool infinite = !kSatFinite && (x > 0 ? kUp : kDown);
  const f64 magnitude = infinite ? __builtin_inf() : FormatLimits<Format>::kLargest;
  return x > 0 ? magnitude : -magnitude;
}

/// `x` rounded to what `Format` holds, in the mode's direction, which is kRounding.
template <typename Format, Rounding kRounding, bool kSatFinite>
FLASHGATE_INLINE f32 to_format(f64 x)
{
  using Limits = FormatLimits<Format>;
  if (!is_number(x)) return as_bits<f32>(kNan<f32>);
  const u64 sign = as_bits<u64>(x) & kSignBit<f64>;
  const int exponent = static_cast<int>(as_bits<u64>(x) >> 52 & 0x7FF) - 1023;
  if (exponent == 1024) return static_cast<f32>(kSatFinite ? overflowed<Format, kRounding, true>(x) : x);
  const int from = exponent < Limits::kLowestExponent ? Limits::kLowestExponent : exponent;
  const f64 quantum = power_of_two_f64(from - Limits::kPrecision + 1);
  const f64 scaled = exponent < -400 ? as_bits<f64>(sign | as_bits<u64>(x != 0 ? 0x1p-200 : 0.0)) : x / quantum;
  const f64 rounded = static_cast<f64>(to_s64(scaled)) * quantum;
  if (rounded > Limits::kLargest || rounded < -Limits::kLargest)
    return static_cast<f32>(overflowed<Format, kRounding, kSatFinite>(x));
  return static_cast<f32>(as_bits<f64>(as_bits<u64>(rounded) | sign));
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
