#pragma once

#include <type_traits>

#include <immintrin.h>

#include "gpu/emulator/isa/lanes/element.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

/// The NaN that arithmetic gives. PTX fixes it for f32; for f64 this choice keeps the cores alike, since processors
/// pass on one of several operands, or a negative NaN of their own.
template <typename T>
inline constexpr Unsigned<T> kNan = 0x7FFF'FFFF;
template <>
inline constexpr u64 kNan<f64> = 0x7FF8'0000'0000'0000;

template <typename T>
inline constexpr Unsigned<T> kSignBit = Unsigned<T>(1) << (8 * sizeof(T) - 1);
template <typename T>
inline constexpr Unsigned<T> kInfinity = 0x7F80'0000;
template <>
inline constexpr u64 kInfinity<f64> = 0x7FF0'0000'0000'0000;

template <typename V>
using ElementOfVector = std::remove_cvref_t<decltype(V{}[0])>;
template <typename V>
inline constexpr int kElements = sizeof(V) / sizeof(V{}[0]);
/// The vector of unsigned integers as wide as V's elements.
template <typename V>
using BitsOf = Vector<Unsigned<ElementOfVector<V>>, kElements<V>>;

template <typename V>
FLASHGATE_INLINE V canonical(V v)
{
  using T = ElementOfVector<V>;
  return v != v ? as_bits<V>(splat<Unsigned<T>, kElements<V>>(kNan<T>)) : v;
}

/// Subnormal numbers become zeros of their sign.
template <typename V>
FLASHGATE_INLINE V flush(V v)
{
  using T = ElementOfVector<V>;
  const auto bits = as_bits<BitsOf<V>>(v);
  return as_bits<V>((bits & kInfinity<T>) == 0 ? bits & kSignBit<T> : bits);
}

/// .sat: into [0, 1]; what is no number becomes +0, as does -0.
template <typename V>
FLASHGATE_INLINE V saturate(V v)
{
  const V one = V{} + 1;
  return v > 0 ? (v < 1 ? v : one) : V{};
}

/// .relu: what is not above zero becomes +0, except that what is no number remains.
template <typename V>
FLASHGATE_INLINE V rectify(V v)
{
  return v <= 0 ? V{} : v;
}

// smaller(a, b) is a < b ? a : b.
#if defined(__AVX512F__)
FLASHGATE_INLINE Vector<f32, 16> smaller(Vector<f32, 16> a, Vector<f32, 16> b) { return _mm512_min_ps(a, b); }
FLASHGATE_INLINE Vector<f32, 16> square_root(Vector<f32, 16> v) { return _mm512_sqrt_ps(v); }
FLASHGATE_INLINE Vector<f64, 8> square_root(Vector<f64, 8> v) { return _mm512_sqrt_pd(v); }
#elif defined(__AVX2__)
FLASHGATE_INLINE Vector<f32, 8> smaller(Vector<f32, 8> a, Vector<f32, 8> b) { return _mm256_min_ps(a, b); }
FLASHGATE_INLINE Vector<f32, 8> square_root(Vector<f32, 8> v) { return _mm256_sqrt_ps(v); }
FLASHGATE_INLINE Vector<f64, 4> square_root(Vector<f64, 4> v) { return _mm256_sqrt_pd(v); }
#else
FLASHGATE_INLINE Vector<f32, 4> smaller(Vector<f32, 4> a, Vector<f32, 4> b) { return _mm_min_ps(a, b); }
FLASHGATE_INLINE Vector<f32, 4> square_root(Vector<f32, 4> v) { return _mm_sqrt_ps(v); }
FLASHGATE_INLINE Vector<f64, 2> square_root(Vector<f64, 2> v) { return _mm_sqrt_pd(v); }
#endif

/// p + c rounded to odd: where the sum is inexact, the neighbour with an odd last bit. Rounding that once more, to at
/// most 51 bits and in any direction, gives what rounding the exact sum would (Boldo and Melquiond 2008). Needs round
/// to nearest; no overflow happens for values that come from f32.
template <typename V>
FLASHGATE_INLINE V odd_sum(V p, V c)
{
  using Bits = Vector<s64, kElements<V>>;
  const V sum = p + c;
  const V of_c = sum - p;
  const V error = (p - (sum - of_c)) + (c - of_c);
  const Bits inexact = (error < 0) | (error > 0);
  const Bits bits = as_bits<Bits>(sum);
  const Bits inward = as_bits<Bits>((error < 0) ^ (sum < 0));  // -1: the exact sum is nearer to zero
  const Bits even = (bits & 1) - 1;
  return as_bits<V>(bits + ((inward | 1) & inexact & even));
}

#if defined(__AVX512F__)
FLASHGATE_INLINE Vector<f32, 16> multiply_add(Vector<f32, 16> a, Vector<f32, 16> b, Vector<f32, 16> c)
{
  return _mm512_fmadd_ps(a, b, c);
}
FLASHGATE_INLINE Vector<f64, 8> multiply_add(Vector<f64, 8> a, Vector<f64, 8> b, Vector<f64, 8> c)
{
  return _mm512_fmadd_pd(a, b, c);
}
#elif defined(__AVX2__)
FLASHGATE_INLINE Vector<f32, 8> multiply_add(Vector<f32, 8> a, Vector<f32, 8> b, Vector<f32, 8> c)
{
  return _mm256_fmadd_ps(a, b, c);
}
FLASHGATE_INLINE Vector<f64, 4> multiply_add(Vector<f64, 4> a, Vector<f64, 4> b, Vector<f64, 4> c)
{
  return _mm256_fmadd_pd(a, b, c);
}
#else
/// Without the instruction: the product of two f32 is exact in f64. In a mode other than round to nearest the sum would
/// not be the odd one; floating.cpp takes care of those.
FLASHGATE_INLINE Vector<f32, 4> multiply_add(Vector<f32, 4> a, Vector<f32, 4> b, Vector<f32, 4> c)
{
  const auto upper = [](Vector<f32, 4> v) { return _mm_cvtps_pd(_mm_movehl_ps(v, v)); };
  const auto lower = [](Vector<f32, 4> v) { return _mm_cvtps_pd(v); };
  const Vector<f64, 2> low = odd_sum<Vector<f64, 2>>(lower(a) * lower(b), lower(c));
  const Vector<f64, 2> high = odd_sum<Vector<f64, 2>>(upper(a) * upper(b), upper(c));
  return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}
/// fma() of the C library is exact, whatever it is made of.
FLASHGATE_INLINE Vector<f64, 2> multiply_add(Vector<f64, 2> a, Vector<f64, 2> b, Vector<f64, 2> c)
{
  return Vector<f64, 2>{__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])};
}
#endif

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
