#pragma once

#include "gpu/emulator/isa/lanes/convert.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

/// How a type lies in a register of its natural width. Values of 8 bits sit in registers of 16.
template <Type kType>
struct Held
{
  using Element = FLASHGATE_ISA_CORE::Element<kType>;
  using Register = Element;
  static constexpr bool kFloating = kType == Type::f32 || kType == Type::f64;
};
template <>
struct Held<Type::u8>
{
  using Element = u8;
  using Register = u16;
  static constexpr bool kFloating = false;
};
template <>
struct Held<Type::s8>
{
  using Element = s8;
  using Register = s16;
  static constexpr bool kFloating = false;
};
template <>
struct Held<Type::f16>
{
  using Element = F16;
  using Register = u16;
  static constexpr bool kFloating = true;
};
template <>
struct Held<Type::bf16>
{
  using Element = Bf16;
  using Register = u16;
  static constexpr bool kFloating = true;
};

template <Type kType>
using RegisterOf = typename Held<kType>::Register;

inline constexpr bool is_half(Type type) { return type == Type::f16 || type == Type::bf16; }

/// An integer rounded to odd, if f64 does not hold it: see odd_sum().
template <typename T>
FLASHGATE_INLINE f64 odd_f64(T value)
{
  const bool negative = kIsSigned<T> && value < T(0);
  const u64 magnitude = negative ? u64{0} - static_cast<u64>(value) : static_cast<u64>(value);
  const u64 cut = magnitude >> 11 | (magnitude << 53 != 0);
  const f64 result = magnitude >> 53 != 0 ? static_cast<f64>(static_cast<s64>(cut)) * 2048
                                          : static_cast<f64>(static_cast<s64>(magnitude));
  return negative ? -result : result;
}

/// Numbers below those that f32 holds with full precision become zeros of their sign.
FLASHGATE_INLINE f64 flush_to_f32(f64 x)
{
  return x < 0x1p-126 && x > -0x1p-126 ? as_bits<f64>(as_bits<u64>(x) & kSignBit<f64>) : x;
}

/// The 32 values in slot[k] as f64, 64-bit integers rounded to odd; kFtz flushes subnormal f32. Not to be used under
/// another mode: compilers drop a conversion from f32 and back, with the flushing that the mode would do.
template <Type kType, bool kFtz>
FLASHGATE_INLINE void fetch_f64(const Registers& registers, const Instruction& instruction, int k, f64* values)
{
  const RegisterOf<kType>* const from = registers.lanes<RegisterOf<kType>>(instruction.slot[k]);
  if constexpr (is_half(kType)) {
    for (int first = 0; first < kLanes; first += kSteps) {
      const Floats widened = Held<kType>::Element::widen(load<u16, kSteps>(from + first));
      for (int lane = 0; lane < kSteps; ++lane)
        values[first + lane] = widened[lane];
    }
  } else if constexpr (Held<kType>::kFloating) {
    for (int lane = 0; lane < kLanes; ++lane)
      values[lane] = from[lane];
  } else {
    using T = typename Held<kType>::Element;
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<T>(from[lane]);
      values[lane] = sizeof(T) == 8 ? odd_f64(value) : static_cast<f64>(static_cast<s64>(value));
    }
  }
  if constexpr (kFtz && kType != Type::f64)
    for (int lane = 0; lane < kLanes; ++lane)
      values[lane] = flush_to_f32(values[lane]);
}

/// Stores 32 values that `Format` holds exactly.
template <typename Format>
FLASHGATE_INLINE void store_exact(const Registers& registers, u32 slot, const f32* values, LaneMask mask)
{
  alignas(64) u16 results[kLanes];
  for (int first = 0; first < kLanes; first += kSteps)
    store(results + first, Format::narrow(load<f32, kSteps>(values + first)));
  store_all(registers.lanes<u16>(slot), results, mask);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
