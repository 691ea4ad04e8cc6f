#pragma once

#include <bit>
#include <cstdint>

#include "gpu/emulator/memory/memory_form.h"

namespace flashgate::gpu {

/// True if the operation exists for values of that type and size (2, 4 or 8 bytes).
bool is_atomic(AtomicOperation operation, AtomicType type, std::uint32_t bytes);

/// What an atomic leaves in memory where `old` was. Values are bits, zero-extended; `fresh` is the new value of cas.
/// `flush`: f32 additions treat subnormal operands and results as zero, as they do on global memory (PTX ISA, atom).
/// REQUIRES: is_atomic.
std::uint64_t atomic_value(AtomicOperation operation, AtomicType type, std::uint32_t bytes, bool flush,
                           std::uint64_t old, std::uint64_t operand, std::uint64_t fresh);

/// A subnormal number becomes a zero of its sign.
inline float flushed(float value)
{
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x7F80'0000U) == 0 ? std::bit_cast<float>(bits & 0x8000'0000U) : value;
}

/// The f32 addition alone.
inline float atomic_sum(float old, float operand, bool flush)
{
  return flush ? flushed(flushed(old) + flushed(operand)) : old + operand;
}

}  // namespace flashgate::gpu
