#pragma once

#include "gpu/emulator/isa/lanes/float_vector.h"

/// Vectors of f32 through approximate functions. Where subnormals are to be flushed the caller sets the mode; what is
/// no number comes out as no number, not yet canonical.
namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

/// Adding this to |x| < 2^22 leaves the nearest integer in the low bits.
inline constexpr f32 kRoundingShift = 12582912.0f;

template <typename V>
using IntegersIn = Vector<s32, kElements<V>>;

/// 2^n for -127 < n < 128.
template <typename I>
FLASHGATE_INLINE auto exact_power(I n)
{
  return as_bits<Vector<f32, kElements<I>>>((n + 127) << 23);
}

/// 2^f for |f| <= 1/2 (its Taylor polynomial, economised), exact for 0; relative error below 2^-22.5.
template <typename V>
FLASHGATE_INLINE V power_of_fraction(V f)
{
  V p = V{} + 0x1.43091200p-13f;
  p = p * f + 0x1.5f47d000p-10f;
  p = p * f + 0x1.3b2ab600p-7f;
  p = p * f + 0x1.c6aece00p-5f;
  p = p * f + 0x1.ebfbe000p-3f;
  p = p * f + 0x1.62e43000p-1f;
  return p * f + 1.0f;
}

/// 2^x: relative error below 2^-22, exact for integers. x = n + f with |f| <= 1/2, and 2^n comes in two factors so that
/// subnormal results are rounded once.
template <typename V>
FLASHGATE_INLINE V power_of_two(V x)
{
  const V low = V{} - 152.0f;
  x = x < low ? low : x;
  x = smaller(V{} + 129.0f, x);
  const V shifted = x + kRoundingShift;
  const V p = power_of_fraction(x - (shifted - kRoundingShift));
  const auto n = as_bits<IntegersIn<V>>(shifted) - 0x4B40'0000;
  const auto half = n >> 1;
  return p * exact_power(half) * exact_power(n - half);
}

/// The same bits where the result is normal, +0 below that, without the detour: n is added to the exponent. -127 and
/// 128 then give the bits of 0 and of infinity. What is no number comes out canonical.
template <typename V>
FLASHGATE_INLINE V power_of_two_flushed(V x)
{
  const V bounded = smaller(V{} + 128.0f, x < -126.0f ? V{} - 127.0f : x);
  const V shifted = bounded + kRoundingShift;
  const V p = power_of_fraction(bounded - (shifted - kRoundingShift));
  const V result = as_bits<V>(as_bits<IntegersIn<V>>(p) + (as_bits<IntegersIn<V>>(shifted) << 23));
  return x != x ? as_bits<V>(IntegersIn<V>{} + 0x7FFF'FFFF) : result;
}

/// log2(x): error below 2^-22, absolute for 1/2 < x < 2 and relative elsewhere. x = m 2^e with m in [sqrt(1/2),
/// sqrt(2)); log2(m) = 2 / ln(2) artanh(s), s = (m - 1) / (m + 1).
template <typename V>
FLASHGATE_INLINE V logarithm(V x)
{
  using I = IntegersIn<V>;
  const auto tiny = x < 0x1p-126f;
  const V scaled = tiny ? x * 0x1p24f : x;
  const I bits = as_bits<I>(scaled);
  const I e = (bits - 0x3F35'04F3) >> 23;
  const V m = as_bits<V>(bits - (e << 23));
  const V s = (m - 1.0f) / (m + 1.0f);
  const V t = s * s;
  V p = V{} + 0x1.484b1400p-2f;
  p = p * t + 0x1.a6176200p-2f;
  p = p * t + 0x1.2776c600p-1f;
  p = p * t + 0x1.ec709e00p-1f;
  p = (p * t) * s + s * 0x1.71547600p+1f;
  V result = __builtin_convertvector(e, V) - (tiny ? V{} + 24.0f : V{}) + p;
  const V infinity = V{} + __builtin_inff();
  result = x == 0 ? -infinity : result;
  result = x == infinity ? infinity : result;
  return x >= 0 ? result : V{} + __builtin_nanf("");
}

/// tanh(x): relative error below 2^-20. An odd polynomial near zero, (t - 1) / (t + 1) with t = e^2x elsewhere.
template <typename V>
FLASHGATE_INLINE V hyperbolic_tangent(V x)
{
  using I = IntegersIn<V>;
  const V magnitude = as_bits<V>(as_bits<I>(x) & 0x7FFF'FFFF);
  const V bounded = magnitude > 10.0f ? V{} + 10.0f : magnitude;
  const V t = power_of_two(bounded * 2.885390082f);
  const V far = (t - 1.0f) / (t + 1.0f);
  const V s = x * x;
  V p = V{} + 0x1.664f4800p-6f;
  p = p * s - 0x1.ba1ba200p-5f;
  p = p * s + 0x1.11111200p-3f;
  p = p * s - 0x1.55555600p-2f;
  const V near = x * (1.0f + s * p);
  const V signed_far = as_bits<V>(as_bits<I>(far) | (as_bits<I>(x) & ~0x7FFF'FFFF));
  return magnitude < 0.25f ? near : signed_far;
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
