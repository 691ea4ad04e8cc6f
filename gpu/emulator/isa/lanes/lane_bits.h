#pragma once

#include <immintrin.h>

#include "gpu/emulator/isa/lanes/vector.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

/// Bit k of the result: element k of a comparison's result is set.
template <typename T, int N>
FLASHGATE_INLINE LaneMask lane_bits(const Vector<T, N>& set)
{
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 2) return _mm256_movepi16_mask(as_bits<__m256i>(set));
  if constexpr (sizeof(T) == 4) return _mm512_movepi32_mask(as_bits<__m512i>(set));
  if constexpr (sizeof(T) == 8) return _mm512_movepi64_mask(as_bits<__m512i>(set));
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 2) {
    const __m256i halves = as_bits<__m256i>(set);
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    return static_cast<LaneMask>(_mm_movemask_epi8(bytes));
  }
  if constexpr (sizeof(T) == 4) return static_cast<LaneMask>(_mm256_movemask_ps(as_bits<__m256>(set)));
  if constexpr (sizeof(T) == 8) return static_cast<LaneMask>(_mm256_movemask_pd(as_bits<__m256d>(set)));
#else
  if constexpr (sizeof(T) == 2) {
    const __m128i bytes = _mm_packs_epi16(as_bits<__m128i>(set), _mm_setzero_si128());
    return static_cast<LaneMask>(_mm_movemask_epi8(bytes));
  }
  if constexpr (sizeof(T) == 4) return static_cast<LaneMask>(_mm_movemask_ps(as_bits<__m128>(set)));
  if constexpr (sizeof(T) == 8) return static_cast<LaneMask>(_mm_movemask_pd(as_bits<__m128d>(set)));
#endif
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
