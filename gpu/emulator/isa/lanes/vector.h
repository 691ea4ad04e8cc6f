#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "gpu/emulator/isa/form.h"
#include "gpu/emulator/isa/instruction.h"

/// Everything in lanes/ is compiled once per core, each time with that core's compiler flags and in its own namespace,
/// FLASHGATE_ISA_CORE. Code in here must not use functions of the standard library, not even inline ones: the linker
/// keeps one copy of those, which may be the one with the widest instructions. Types without functions are fine.
#ifndef FLASHGATE_ISA_CORE
#define FLASHGATE_ISA_CORE core_generic  // for tools that look at a header by itself
#endif

#define FLASHGATE_INLINE [[gnu::always_inline]] inline

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

using s8 = std::int8_t;
using u8 = std::uint8_t;
using s16 = std::int16_t;
using u16 = std::uint16_t;
using s32 = std::int32_t;
using u32 = std::uint32_t;
using s64 = std::int64_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;
static_assert(sizeof(f32) == 4 && sizeof(f64) == 8);

template <typename T, int N>
struct VectorOf
{
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};

/// N elements of T in one machine register. Comparisons give an integer vector of the same shape, 0 or -1 per element.
template <typename T, int N>
using Vector = typename VectorOf<T, N>::type;

template <int kBytes>
struct IntegersOf;
template <>
struct IntegersOf<1>
{
  using Signed = s8;
  using Unsigned = u8;
};
template <>
struct IntegersOf<2>
{
  using Signed = s16;
  using Unsigned = u16;
};
template <>
struct IntegersOf<4>
{
  using Signed = s32;
  using Unsigned = u32;
};
template <>
struct IntegersOf<8>
{
  using Signed = s64;
  using Unsigned = u64;
};
template <typename T>
using Signed = typename IntegersOf<sizeof(T)>::Signed;
template <typename T>
using Unsigned = typename IntegersOf<sizeof(T)>::Unsigned;

/// Lanes handled in one step of a loop over operands of these types: the widest fills a machine register, and a lane's
/// bit fits into the narrowest.
template <typename... T>
consteval int lanes_per_step()
{
  int lanes = kVectorBytes;
  const int bytes[] = {static_cast<int>(sizeof(T))...};
  for (const int b : bytes) {
    if (kVectorBytes / b < lanes) lanes = kVectorBytes / b;
    if (8 * b < lanes) lanes = 8 * b;
  }
  return lanes;
}

template <typename T, int N>
FLASHGATE_INLINE Vector<T, N> load(const T* from)
{
  Vector<T, N> v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}

template <typename T, typename V>
FLASHGATE_INLINE void store(T* to, const V& v)
{
  __builtin_memcpy(to, &v, sizeof(v));
}

/// The same bits as another type of the same size.
template <typename To, typename From>
FLASHGATE_INLINE To as_bits(const From& from)
{
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

template <typename T, int N>
FLASHGATE_INLINE Vector<T, N> splat(T value)
{
  return Vector<T, N>{} + value;
}

template <typename T, std::size_t... K>
constexpr Vector<T, sizeof...(K)> ascending(T (*element)(int), std::index_sequence<K...>)
{
  return Vector<T, sizeof...(K)>{element(static_cast<int>(K))...};
}

/// {element(0), element(1), ..., element(N - 1)}
template <typename T, int N>
constexpr Vector<T, N> make_vector(T (*element)(int))
{
  return ascending<T>(element, std::make_index_sequence<N>{});
}

/// -1 in the elements of lanes first, first + 1, ... whose bit in `mask` is set, else 0; elements as wide as T.
template <typename T, int N>
FLASHGATE_INLINE Vector<Signed<T>, N> expand(LaneMask mask, int first)
{
  using U = Unsigned<T>;
  constexpr Vector<U, N> kBits = make_vector<U, N>([](int k) { return static_cast<U>(U(1) << k); });
  const Vector<U, N> all = splat<U, N>(static_cast<U>(mask >> first));
  return (all & kBits) != 0;
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
