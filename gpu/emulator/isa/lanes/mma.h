#pragma once

#include "gpu/emulator/isa/lanes/half_format.h"

/// The matrix product of mma.sync with f32 sums: D[16][8] = A[16][K] B[K][8] + C. Fragments are those of the PTX ISA:
/// lane 4g + t holds row g (and g + 8) of A, C and D, and column g of B. Each element of D is C, then one fused
/// multiply-add per k in ascending order; hardware sums in an order and precision of its own, which the ISA leaves
/// open.
namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

inline constexpr int kRowsPerVector = kSteps / 4;     ///< rows of A, C and D in a register: four lanes each
inline constexpr int kRowSteps = 8 / kRowsPerVector;  ///< registers for eight rows

/// A and B in the order the loop wants. A quad is four values of k.
struct MmaOperands
{
  static constexpr int kMaxQuads = 4;
  alignas(64) f32 a[2][kRowSteps][kMaxQuads][kSteps];  ///< [half of the rows][step][quad]: four k for each row
  alignas(64) f32 b[4 * kMaxQuads][8];                 ///< [k]: columns 0, 2, 4, 6, then 1, 3, 5, 7
};

/// The blocks of 128 bits with even (odd) numbers out of (x, y), or pairs of elements from within blocks.
template <int... kIndices>
FLASHGATE_INLINE Floats pick(Floats x, Floats y)
{
  return __builtin_shuffle(x, y, Vector<s32, kSteps>{kIndices...});
}
#if defined(__AVX512F__)
FLASHGATE_INLINE Floats even_blocks(Floats x, Floats y)
{
  return pick<0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27>(x, y);
}
FLASHGATE_INLINE Floats odd_blocks(Floats x, Floats y)
{
  return pick<4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31>(x, y);
}
FLASHGATE_INLINE Floats interleave_low(Floats x, Floats y)
{
  return pick<0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29>(x, y);
}
FLASHGATE_INLINE Floats interleave_high(Floats x, Floats y)
{
  return pick<2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31>(x, y);
}
FLASHGATE_INLINE Floats broadcast_block(const f32* block) { return _mm512_broadcast_f32x4(_mm_loadu_ps(block)); }
template <int k>
FLASHGATE_INLINE Floats repeat_in_block(Floats v)
{
  return _mm512_permute_ps(v, k * 0x55);
}
#elif defined(__AVX2__)
FLASHGATE_INLINE Floats even_blocks(Floats x, Floats y) { return pick<0, 1, 2, 3, 8, 9, 10, 11>(x, y); }
FLASHGATE_INLINE Floats odd_blocks(Floats x, Floats y) { return pick<4, 5, 6, 7, 12, 13, 14, 15>(x, y); }
FLASHGATE_INLINE Floats interleave_low(Floats x, Floats y) { return pick<0, 8, 1, 9, 4, 12, 5, 13>(x, y); }
FLASHGATE_INLINE Floats interleave_high(Floats x, Floats y) { return pick<2, 10, 3, 11, 6, 14, 7, 15>(x, y); }
FLASHGATE_INLINE Floats broadcast_block(const f32* block)
{
  return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(block));
}
template <int k>
FLASHGATE_INLINE Floats repeat_in_block(Floats v)
{
  return _mm256_permute_ps(v, k * 0x55);
}
#else
FLASHGATE_INLINE Floats even_blocks(Floats x, Floats) { return x; }
FLASHGATE_INLINE Floats odd_blocks(Floats, Floats y) { return y; }
FLASHGATE_INLINE Floats interleave_low(Floats x, Floats y) { return _mm_unpacklo_ps(x, y); }
FLASHGATE_INLINE Floats interleave_high(Floats x, Floats y) { return _mm_unpackhi_ps(x, y); }
FLASHGATE_INLINE Floats broadcast_block(const f32* block) { return _mm_loadu_ps(block); }
template <int k>
FLASHGATE_INLINE Floats repeat_in_block(Floats v)
{
  return _mm_shuffle_ps(v, v, k * 0x55);
}
#endif

struct Quads
{
  Floats first;   ///< k 0 to 3 of each row
  Floats second;  ///< k 4 to 7
};

/// Lanes `words`... of a fragment's register, whose words hold two k each.
template <typename Format>
FLASHGATE_INLINE Quads widen_quads(const u32* words);
template <>
FLASHGATE_INLINE Quads widen_quads<Bf16>(const u32* words)
{
  const Words w = load<u32, kSteps>(words);
  const Floats low = as_bits<Floats>(w << 16);
  const Floats high = as_bits<Floats>(w & 0xFFFF'0000);
  return {interleave_low(low, high), interleave_high(low, high)};
}
template <>
FLASHGATE_INLINE Quads widen_quads<F16>(const u32* words)
{
  Halves halves[2];
  __builtin_memcpy(halves, words, sizeof(halves));
  const Floats x = F16::widen(halves[0]);
  const Floats y = F16::widen(halves[1]);
  return {even_blocks(x, y), odd_blocks(x, y)};
}

/// Columns become the innermost index: `columns[n][...]` holds four k of column n.
FLASHGATE_INLINE void place_b(MmaOperands& operands, int quad, const f32* columns)
{
  for (int parity = 0; parity < 2; ++parity) {
    __m128 row[4];
    for (int n = 0; n < 4; ++n)
      row[n] = _mm_loadu_ps(columns + 4 * (2 * n + parity));
    _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
    for (int k = 0; k < 4; ++k)
      _mm_storeu_ps(operands.b[4 * quad + k] + 4 * parity, row[k]);
  }
}

template <typename Format>
FLASHGATE_INLINE void place_half_a(MmaOperands& operands, int half, int quad, const u32* a)
{
  FLASHGATE_UNROLL
  for (int step = 0; step < kRowSteps; ++step) {
    const Quads quads = widen_quads<Format>(a + step * kSteps);
    store(operands.a[half][step][quad], quads.first);
    store(operands.a[half][step][quad + 1], quads.second);
  }
}

template <typename Format>
FLASHGATE_INLINE void place_half_b(MmaOperands& operands, int quad, const u32* b)
{
  alignas(64) f32 columns[2][kLanes];
  FLASHGATE_UNROLL
  for (int step = 0; step < kRowSteps; ++step) {
    const Quads quads = widen_quads<Format>(b + step * kSteps);
    store(columns[0] + step * kSteps, quads.first);
    store(columns[1] + step * kSteps, quads.second);
  }
  place_b(operands, quad, columns[0]);
  place_b(operands, quad + 1, columns[1]);
}

/// a * b + c, rounded once. Without the instruction: a product that f32 holds exactly needs only the addition.
template <bool kExactProducts>
FLASHGATE_INLINE Floats accumulate(Floats a, Floats b, Floats c)
{
#if !defined(__AVX2__)
  if constexpr (kExactProducts) return a * b + c;
#endif
  return multiply_add(a, b, c);
}

inline constexpr int kStepsAtOnce = kRowSteps < 2 ? kRowSteps : 2;  ///< eight sums fit into 16 machine registers

/// Rows of two halves, even and odd columns.
struct MmaSums
{
  Floats even[2][kStepsAtOnce];
  Floats odd[2][kStepsAtOnce];
};

template <bool kExactProducts, int k>
FLASHGATE_INLINE void add_product(MmaSums& sums, const MmaOperands& operands, int step, int quad)
{
  const Floats even = broadcast_block(operands.b[4 * quad + k]);
  const Floats odd = broadcast_block(operands.b[4 * quad + k] + 4);
  for (int half = 0; half < 2; ++half)
    for (int s = 0; s < kStepsAtOnce; ++s) {
      const Floats a = repeat_in_block<k>(load<f32, kSteps>(operands.a[half][step + s][quad]));
      sums.even[half][s] = accumulate<kExactProducts>(a, even, sums.even[half][s]);
      sums.odd[half][s] = accumulate<kExactProducts>(a, odd, sums.odd[half][s]);
    }
}

/// Adds A B to the rows of steps `step` ...
template <int kQuads, bool kExactProducts>
FLASHGATE_INLINE void add_products(MmaSums& sums, const MmaOperands& operands, int step)
{
#pragma GCC unroll 4
  for (int quad = 0; quad < kQuads; ++quad) {
    add_product<kExactProducts, 0>(sums, operands, step, quad);
    add_product<kExactProducts, 1>(sums, operands, step, quad);
    add_product<kExactProducts, 2>(sums, operands, step, quad);
    add_product<kExactProducts, 3>(sums, operands, step, quad);
  }
}

/// Whether every product of an element of A and one of B is exact in f32: factors are 0 or between 2^-62 and 2^63.
template <int kQuads>
FLASHGATE_INLINE bool products_are_exact(const MmaOperands& operands)
{
  const auto beyond = [](const f32* values) {
    const Words magnitude = as_bits<Words>(load<f32, kSteps>(values)) & 0x7FFF'FFFF;
    const auto ordered = as_bits<Vector<s32, kSteps>>(magnitude);
    return (ordered != 0) & ((ordered < 0x2080'0000) | (ordered >= 0x5F00'0000));
  };
  Vector<s32, kSteps> any{};
  for (int step = 0; step < kRowSteps; ++step)
    for (int quad = 0; quad < kQuads; ++quad)
      any |= beyond(operands.a[0][step][quad]) | beyond(operands.a[1][step][quad]);
  for (int k = 0; k < 4 * kQuads * 8; k += kSteps)
    any |= beyond(&operands.b[0][0] + k);
  s32 found = 0;
  for (int k = 0; k < kSteps; ++k)
    found |= any[k];
  return found == 0;
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
