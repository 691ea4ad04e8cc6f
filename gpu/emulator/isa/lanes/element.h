#pragma once

#include "gpu/emulator/isa/lanes/map.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

/// The C++ type of an integer or bit Type's elements.
template <Type kType>
struct ElementOf;
// clang-format off
template <> struct ElementOf<Type::b16> { using type = u16; };
template <> struct ElementOf<Type::b32> { using type = u32; };
template <> struct ElementOf<Type::b64> { using type = u64; };
template <> struct ElementOf<Type::u8> { using type = u8; };
template <> struct ElementOf<Type::u16> { using type = u16; };
template <> struct ElementOf<Type::u32> { using type = u32; };
template <> struct ElementOf<Type::u64> { using type = u64; };
template <> struct ElementOf<Type::s8> { using type = s8; };
template <> struct ElementOf<Type::s16> { using type = s16; };
template <> struct ElementOf<Type::s32> { using type = s32; };
template <> struct ElementOf<Type::s64> { using type = s64; };
template <> struct ElementOf<Type::f32> { using type = f32; };
template <> struct ElementOf<Type::f64> { using type = f64; };
// clang-format on
template <Type kType>
using Element = typename ElementOf<kType>::type;

template <typename T>
inline constexpr bool kIsSigned = T(-1) < T(0);

template <typename T>
struct WiderOf;
// clang-format off
template <> struct WiderOf<s16> { using type = s32; };
template <> struct WiderOf<u16> { using type = u32; };
template <> struct WiderOf<s32> { using type = s64; };
template <> struct WiderOf<u32> { using type = u64; };
// __extension__: ISO C++ has no 128-bit integers, and warns of them.
__extension__ template <> struct WiderOf<s64> { using type = __int128; };
__extension__ template <> struct WiderOf<u64> { using type = unsigned __int128; };
// clang-format on
/// An integer of twice the width, of the same signedness.
template <typename T>
using Wider = typename WiderOf<T>::type;

/// Handlers made of a function object: on whole vectors, or on single elements. D is the type of d, S those of the
/// sources.
template <const auto& kFunction, typename D, typename... S>
void on_vectors(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  map_vectors<D, S...>(registers, instruction, mask, kFunction);
}

template <const auto& kFunction, typename D, typename... S>
void on_scalars(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  map_scalars<D, S...>(registers, instruction, mask, kFunction);
}

/// Elements of `v` as T, by value.
template <typename T, typename V>
FLASHGATE_INLINE auto convert(const V& v)
{
  constexpr int N = sizeof(v) / sizeof(v[0]);
  return __builtin_convertvector(v, Vector<T, N>);
}

/// The predicate in slot `k`, negated if the instruction says so; kNoSlot is true.
FLASHGATE_INLINE LaneMask predicate(const Registers& registers, const Instruction& instruction, int k)
{
  const u32 slot = instruction.slot[k];
  const LaneMask value = slot == kNoSlot ? kAllLanes : registers.predicates[slot];
  return value ^ (0u - (instruction.a >> k & 1u));
}

/// Writes the lanes of `mask` of the predicate in slot `k`; nothing for kNoSlot.
FLASHGATE_INLINE void set_predicate(const Registers& registers, const Instruction& instruction, int k, LaneMask value,
                                    LaneMask mask)
{
  const u32 slot = instruction.slot[k];
  if (slot == kNoSlot) return;
  registers.predicates[slot] = (registers.predicates[slot] & ~mask) | (value & mask);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
