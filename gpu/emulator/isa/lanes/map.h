#pragma once

#include <utility>

#include "gpu/emulator/isa/lanes/vector.h"

/// Loops over the 32 lanes: operand k of the function comes from slot k + 1, its result goes to slot 0. Every step
/// reads its operands before it writes, so a destination may be one of the sources.
namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

#if defined(__AVX2__)
#define FLASHGATE_UNROLL _Pragma("GCC unroll 8")
#else
#define FLASHGATE_UNROLL _Pragma("GCC unroll 1")
#endif

/// Writes lanes first ... of `to`, those of `mask` only.
template <int N, typename T, typename V>
FLASHGATE_INLINE void store_lanes(T* to, int first, const V& value, LaneMask mask)
{
  V result = value;
  if (__builtin_expect(mask != kAllLanes, 0)) result = expand<T, N>(mask, first) ? value : load<T, N>(to + first);
  store(to + first, result);
}

template <typename D, typename... S, typename F, std::size_t... K>
FLASHGATE_INLINE void map_slots(const Registers& registers, const Instruction& instruction, LaneMask mask, F f,
                                std::index_sequence<K...>)
{
  constexpr int N = lanes_per_step<D, S...>();
  D* const d = registers.lanes<D>(instruction.slot[0]);
  FLASHGATE_UNROLL
  for (int first = 0; first < kLanes; first += N)
    store_lanes<N>(d, first, f(load<S, N>(registers.lanes<S>(instruction.slot[K + 1]) + first)...), mask);
}

/// d = f(a, ...) on vectors; D and S are the element types of d and of the sources.
template <typename D, typename... S, typename F>
FLASHGATE_INLINE void map_vectors(const Registers& registers, const Instruction& instruction, LaneMask mask, F f)
{
  map_slots<D, S...>(registers, instruction, mask, f, std::index_sequence_for<S...>{});
}

template <typename T>
FLASHGATE_INLINE void store_all(T* to, const T* values, LaneMask mask)
{
  constexpr int N = lanes_per_step<T>();
  FLASHGATE_UNROLL
  for (int first = 0; first < kLanes; first += N)
    store_lanes<N>(to, first, load<T, N>(values + first), mask);
}

template <typename D, typename... S, typename F, std::size_t... K>
FLASHGATE_INLINE void map_elements(const Registers& registers, const Instruction& instruction, LaneMask mask, F f,
                                   std::index_sequence<K...>)
{
  alignas(64) D results[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    results[lane] = f(registers.lanes<S>(instruction.slot[K + 1])[lane]...);
  store_all(registers.lanes<D>(instruction.slot[0]), results, mask);
}

/// d = f(a, ...) element by element. `f` sees what is in the lanes that are off, too, and must bear any value.
template <typename D, typename... S, typename F>
FLASHGATE_INLINE void map_scalars(const Registers& registers, const Instruction& instruction, LaneMask mask, F f)
{
  map_elements<D, S...>(registers, instruction, mask, f, std::index_sequence_for<S...>{});
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
