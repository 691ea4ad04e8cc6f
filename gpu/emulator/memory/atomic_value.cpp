#include "gpu/emulator/memory/atomic_value.h"

#include <algorithm>
#include <bit>

#include "gpu/emulator/memory/half_sum.h"

namespace flashgate::gpu {
namespace {

/// The bits of `bytes` bytes as a signed number.
std::int64_t as_signed(std::uint64_t bits, std::uint32_t bytes)
{
  const std::uint32_t unused = 64 - 8 * bytes;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::uint64_t sum(AtomicType type, bool flush, std::uint64_t old, std::uint64_t operand)
{
  const auto low = static_cast<std::uint32_t>(old);
  const auto add = static_cast<std::uint32_t>(operand);
  const auto pair = [&](auto half_sum) {
    const std::uint32_t upper = half_sum(static_cast<std::uint16_t>(low >> 16), static_cast<std::uint16_t>(add >> 16));
    return upper << 16 | half_sum(static_cast<std::uint16_t>(low), static_cast<std::uint16_t>(add));
  };
  switch (type) {
    case AtomicType::f16:
      return f16_sum(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(operand));
    case AtomicType::bf16:
      return bf16_sum(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(operand));
    case AtomicType::f16x2:
      return pair(f16_sum);
    case AtomicType::bf16x2:
      return pair(bf16_sum);
    case AtomicType::f32:
      return std::bit_cast<std::uint32_t>(atomic_sum(std::bit_cast<float>(low), std::bit_cast<float>(add), flush));
    case AtomicType::f64:
      return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(operand));
    default:
      return old + operand;
  }
}

std::uint64_t smaller(AtomicType type, std::uint32_t bytes, std::uint64_t a, std::uint64_t b)
{
  if (type == AtomicType::signed_integer) return as_signed(a, bytes) < as_signed(b, bytes) ? a : b;
  return std::min(a, b);
}

std::uint32_t size_of(AtomicType type)
{
  switch (type) {
    case AtomicType::f16:
    case AtomicType::bf16:
      return 2;
    case AtomicType::f64:
      return 8;
    default:
      return 4;
  }
}

bool is_integer(AtomicType type) { return type == AtomicType::unsigned_integer || type == AtomicType::signed_integer; }

}  // namespace

bool is_atomic(AtomicOperation operation, AtomicType type, std::uint32_t bytes)
{
  const bool word = bytes == 4 || bytes == 8;
  switch (operation) {
    case AtomicOperation::add:
      return is_integer(type) ? word : type != AtomicType::bits && bytes == size_of(type);
    case AtomicOperation::min:
    case AtomicOperation::max:
      return is_integer(type) && word;
    case AtomicOperation::inc:
    case AtomicOperation::dec:
      return type == AtomicType::unsigned_integer && bytes == 4;
    case AtomicOperation::cas:
      return word || bytes == 2;
    default:
      return word;
  }
}

std::uint64_t atomic_value(AtomicOperation operation, AtomicType type, std::uint32_t bytes, bool flush,
                           std::uint64_t old, std::uint64_t operand, std::uint64_t fresh)
{
  const auto low = static_cast<std::uint32_t>(old);
  const auto bound = static_cast<std::uint32_t>(operand);
  switch (operation) {
    case AtomicOperation::add:
      return sum(type, flush, old, operand);
    case AtomicOperation::min:
      return smaller(type, bytes, old, operand);
    case AtomicOperation::max:
      return smaller(type, bytes, old, operand) == old ? operand : old;
    case AtomicOperation::inc:
      return low >= bound ? 0 : low + 1;
    case AtomicOperation::dec:
      return low == 0 || low > bound ? bound : low - 1;
    case AtomicOperation::bit_and:
      return old & operand;
    case AtomicOperation::bit_or:
      return old | operand;
    case AtomicOperation::bit_xor:
      return old ^ operand;
    case AtomicOperation::exchange:
      return operand;
    case AtomicOperation::cas:
      return old == operand ? fresh : old;
  }
  return old;
}

}  // namespace flashgate::gpu
