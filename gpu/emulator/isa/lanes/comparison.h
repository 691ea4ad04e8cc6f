#pragma once

#include "gpu/emulator/isa/lanes/vector.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

/// PTX ISA, "Comparisons": on vectors, -1 where the comparison holds. Those whose name ends in u also hold where one
/// operand is not a number; the others do not.
template <Comparison kComparison>
inline constexpr auto kCompare = [](auto a, auto b) {
  using enum Comparison;
  if constexpr (kComparison == eq) return a == b;
  if constexpr (kComparison == ne) return (a < b) | (a > b);
  if constexpr (kComparison == lt) return a < b;
  if constexpr (kComparison == le) return a <= b;
  if constexpr (kComparison == gt) return a > b;
  if constexpr (kComparison == ge) return a >= b;
  if constexpr (kComparison == equ) return ~((a < b) | (a > b));
  if constexpr (kComparison == neu) return a != b;
  if constexpr (kComparison == ltu) return ~(a >= b);
  if constexpr (kComparison == leu) return ~(a > b);
  if constexpr (kComparison == gtu) return ~(a <= b);
  if constexpr (kComparison == geu) return ~(a < b);
  if constexpr (kComparison == num) return (a == a) & (b == b);
  if constexpr (kComparison == nan) return (a != a) | (b != b);
};

template <Combine kCombine>
FLASHGATE_INLINE LaneMask combine(LaneMask compared, LaneMask other)
{
  if constexpr (kCombine == Combine::and_) return compared & other;
  if constexpr (kCombine == Combine::or_) return compared | other;
  if constexpr (kCombine == Combine::xor_) return compared ^ other;
  return compared;
}

template <auto... kValues, typename F>
void for_each_value(F f)
{
  (f.template operator()<kValues>(), ...);
}

/// Calls f.operator()<kCombine>() for every way to combine.
template <typename F>
void for_each_combine(F f)
{
  for_each_value<Combine::none, Combine::and_, Combine::or_, Combine::xor_>(f);
}

/// The same for the comparisons of integers, and for those of floating types.
template <typename F>
void for_each_ordering(F f)
{
  using enum Comparison;
  for_each_value<eq, ne, lt, le, gt, ge>(f);
}
template <typename F>
void for_each_float_comparison(F f)
{
  using enum Comparison;
  for_each_value<eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan>(f);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
