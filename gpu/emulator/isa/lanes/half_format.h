#pragma once

#include "gpu/emulator/isa/lanes/float_vector.h"

/// f16 and bf16 to f32 and back, N at a time. Widening is exact. `kSteps` elements fill a machine register as f32.
namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

inline constexpr int kSteps = kVectorBytes / 4;
using Floats = Vector<f32, kSteps>;
using Words = Vector<u32, kSteps>;
using Halves = Vector<u16, kSteps>;

inline constexpr u16 kHalfNan = 0x7FFF;  ///< canonical for f16 and bf16

struct Bf16
{
  static constexpr u16 kExponent = 0x7F80;
  static constexpr u16 kLargest = 0x7F7F;

  FLASHGATE_INLINE static Floats widen(Halves h) { return as_bits<Floats>(convert<u32>(h) << 16); }

  /// To nearest even. The second form leaves the halves in words, with the upper bits zero.
  FLASHGATE_INLINE static Halves narrow(Floats v) { return convert<u16>(narrow_words(v)); }
  FLASHGATE_INLINE static Words narrow_words(Floats v)
  {
    const Words bits = as_bits<Words>(v);
    const Words rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    return v != v ? Words{} + kHalfNan : rounded;
  }
};

struct F16
{
  static constexpr u16 kExponent = 0x7C00;
  static constexpr u16 kLargest = 0x7BFF;

#if defined(__AVX512F__)
  FLASHGATE_INLINE static Floats widen(Halves h) { return _mm512_cvtph_ps(as_bits<__m256i>(h)); }
  FLASHGATE_INLINE static Halves narrow(Floats v)
  {
    return as_bits<Halves>(_mm512_cvtps_ph(canonical(v), _MM_FROUND_TO_NEAREST_INT));
  }
#elif defined(__AVX2__)
  FLASHGATE_INLINE static Floats widen(Halves h) { return _mm256_cvtph_ps(as_bits<__m128i>(h)); }
  FLASHGATE_INLINE static Halves narrow(Floats v)
  {
    return as_bits<Halves>(_mm256_cvtps_ph(canonical(v), _MM_FROUND_TO_NEAREST_INT));
  }
#else
  /// A multiplication by 2^112 moves the exponent from one bias to the other, subnormals included.
  FLASHGATE_INLINE static Floats widen(Halves h)
  {
    const Words bits = convert<u32>(h);
    const Floats scaled = as_bits<Floats>((bits & 0x7FFF) << 13) * 0x1p112f;
    const Words magnitude =
        (bits & kExponent) == kExponent ? as_bits<Words>(scaled) | 0x7F80'0000 : as_bits<Words>(scaled);
    return as_bits<Floats>(magnitude | (bits & 0x8000) << 16);
  }

  /// Normal results by rounding the bits, subnormal ones by adding 1/2, which leaves multiples of 2^-24 in the
  /// fraction.
  FLASHGATE_INLINE static Halves narrow(Floats v)
  {
    const Words bits = as_bits<Words>(v);
    const Words magnitude = bits & 0x7FFF'FFFF;
    const Words normal = (magnitude - 0x3800'0000 + 0xFFF + (magnitude >> 13 & 1)) >> 13;
    const Words subnormal = as_bits<Words>(as_bits<Floats>(magnitude) + 0.5f) - 0x3F00'0000;
    const auto ordered = as_bits<Vector<s32, kSteps> >(magnitude);
    Words result = ordered < 0x3880'0000 ? subnormal : normal;
    result = ordered >= 0x4780'0000 ? Words{} + kExponent : result;
    result = result | (bits >> 16 & 0x8000);
    return convert<u16>(v != v ? Words{} + kHalfNan : result);
  }
#endif
  FLASHGATE_INLINE static Words narrow_words(Floats v) { return convert<u32>(narrow(v)); }
};

/// Narrows what an odd_sum() holds, without rounding twice: over an f32 rounded to odd.
template <typename Format>
FLASHGATE_INLINE u16 narrow_odd(f64 exact)
{
  const f32 nearest = static_cast<f32>(exact);
  u32 bits = as_bits<u32>(nearest);
  const f64 back = nearest;
  const bool inexact = back != exact && exact == exact;
  if (inexact) {
    const bool away = (exact < 0 ? -exact : exact) < (back < 0 ? -back : back);
    if (away) bits -= 1;  // truncated
    bits |= 1;
  }
  return Format::narrow(Floats{} + as_bits<f32>(bits))[0];
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
