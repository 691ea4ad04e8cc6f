// Integer arithmetic against the formulas of the PTX ISA, in 128-bit arithmetic.
#include <doctest/doctest.h>

#include "form_run.h"

namespace flashgate::gpu::isa {
namespace {

__extension__ using Wide = __int128;
using Sources = std::span<const std::uint64_t>;

struct IntegerType
{
  Type type;
  int bits;
  bool is_signed;
};

constexpr IntegerType kTypes[] = {{Type::s16, 16, true},  {Type::u16, 16, false}, {Type::s32, 32, true},
                                  {Type::u32, 32, false}, {Type::s64, 64, true},  {Type::u64, 64, false}};

Wide power(int exponent) { return Wide{1} << exponent; }

/// The number that the low `bits` of `value` are.
Wide number(std::uint64_t value, int bits, bool is_signed)
{
  const Wide low = Wide{value} & (power(bits) - 1);
  return is_signed && low >= power(bits - 1) ? low - power(bits) : low;
}
Wide number(std::uint64_t value, const IntegerType& type) { return number(value, type.bits, type.is_signed); }

std::uint64_t wrapped(Wide value, int bits) { return static_cast<std::uint64_t>(value & (power(bits) - 1)); }

std::uint64_t clamped(Wide value, int bits)
{
  const Wide high = power(bits - 1) - 1;
  return wrapped(value > high ? high : value < -high - 1 ? -high - 1 : value, bits);
}

/// Floor division by a power of two, as a shift of the infinite two's complement number.
Wide shifted(Wide value, int by) { return value >> by; }

void check(const IntegerType& type, Operation operation, const std::function<Wide(Wide, Wide, Wide)>& formula)
{
  check_form({.operation = operation, .type = type.type}, [&](Sources s) {
    return wrapped(
        formula(number(s[0], type), number(s.size() > 1 ? s[1] : 0, type), number(s.size() > 2 ? s[2] : 0, type)),
        type.bits);
  });
}

TEST_CASE("integer arithmetic wraps around")
{
  for (const IntegerType& type : kTypes) {
    check(type, Operation::add, [](Wide a, Wide b, Wide) { return a + b; });
    check(type, Operation::sub, [](Wide a, Wide b, Wide) { return a - b; });
    check(type, Operation::min, [](Wide a, Wide b, Wide) { return a < b ? a : b; });
    check(type, Operation::max, [](Wide a, Wide b, Wide) { return a > b ? a : b; });
    check(type, Operation::sad, [](Wide a, Wide b, Wide c) { return c + (a < b ? b - a : a - b); });
    if (!type.is_signed) continue;
    check(type, Operation::abs, [](Wide a, Wide, Wide) { return a < 0 ? -a : a; });
    check(type, Operation::neg, [](Wide a, Wide, Wide) { return -a; });
  }
}

/// Products of unsigned 64-bit numbers fill 128 bits unsigned; their low and high halves survive in a signed one.
TEST_CASE("products have a low and a high half, and a wide form")
{
  __extension__ using UnsignedWide = unsigned __int128;
  for (const IntegerType& type : kTypes) {
    const auto high = [bits = type.bits](Wide a, Wide b) {
      if (bits == 64 && a >= 0 && b >= 0)
        return Wide(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b) >> 64);
      return shifted(a * b, bits);
    };
    const auto low = [](Wide a, Wide b) {
      return Wide(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b) & (~UnsignedWide{0} >> 64));
    };
    check(type, Operation::mul_lo, [&](Wide a, Wide b, Wide) { return low(a, b); });
    check(type, Operation::mul_hi, [&](Wide a, Wide b, Wide) { return high(a, b); });
    check(type, Operation::mad_lo, [&](Wide a, Wide b, Wide c) { return low(a, b) + c; });
    check(type, Operation::mad_hi, [&](Wide a, Wide b, Wide c) { return high(a, b) + c; });
    if (type.bits == 64) continue;
    check_form({.operation = Operation::mul_wide, .type = type.type},
               [&](Sources s) { return wrapped(number(s[0], type) * number(s[1], type), 2 * type.bits); });
    check_form({.operation = Operation::mad_wide, .type = type.type},
               [&](Sources s) { return wrapped(number(s[0], type) * number(s[1], type) + Wide{s[2]}, 2 * type.bits); });
  }
}

TEST_CASE("division by zero gives all ones and leaves the dividend")
{
  for (const IntegerType& type : kTypes) {
    check(type, Operation::div, [](Wide a, Wide b, Wide) { return b == 0 ? Wide{-1} : a / b; });
    check(type, Operation::rem, [](Wide a, Wide b, Wide) { return b == 0 ? a : a % b; });
  }
}

TEST_CASE("s32 sums saturate")
{
  const auto saturating = [](Operation operation, const std::function<Wide(Wide, Wide, Wide)>& formula) {
    check_form({.operation = operation, .type = Type::s32, .saturate = true}, [&](Sources s) {
      return clamped(formula(number(s[0], 32, true), number(s[1], 32, true), number(s.size() > 2 ? s[2] : 0, 32, true)),
                     32);
    });
  };
  const auto low_24 = [](Wide a) { return number(static_cast<std::uint64_t>(a), 24, true); };
  saturating(Operation::add, [](Wide a, Wide b, Wide) { return a + b; });
  saturating(Operation::sub, [](Wide a, Wide b, Wide) { return a - b; });
  saturating(Operation::mad_hi, [](Wide a, Wide b, Wide c) { return shifted(a * b, 32) + c; });
  saturating(Operation::mad24_hi, [&](Wide a, Wide b, Wide c) {
    return number(wrapped(shifted(low_24(a) * low_24(b), 16), 32), 32, true) + c;
  });
}

TEST_CASE("24-bit products use the low 24 bits")
{
  for (const IntegerType& type : {kTypes[2], kTypes[3]}) {
    const auto product = [&](Wide a, Wide b) {
      return number(static_cast<std::uint64_t>(a), 24, type.is_signed) *
             number(static_cast<std::uint64_t>(b), 24, type.is_signed);
    };
    check(type, Operation::mul24_lo, [&](Wide a, Wide b, Wide) { return product(a, b); });
    check(type, Operation::mul24_hi, [&](Wide a, Wide b, Wide) { return shifted(product(a, b), 16); });
    check(type, Operation::mad24_lo, [&](Wide a, Wide b, Wide c) { return product(a, b) + c; });
    check(type, Operation::mad24_hi, [&](Wide a, Wide b, Wide c) { return shifted(product(a, b), 16) + c; });
  }
}

TEST_CASE("dot products of bytes")
{
  for (const Type a : {Type::s32, Type::u32})
    for (const Type b : {Type::s32, Type::u32}) {
      const auto part = [](std::uint64_t word, int bits, int k, Type type) {
        return number(word >> bits * k, bits, type == Type::s32);
      };
      check_form({.operation = Operation::dp4a, .type = a, .other = b}, [&](Sources s) {
        Wide sum = s[2];
        for (int k = 0; k < 4; ++k)
          sum += part(s[0], 8, k, a) * part(s[1], 8, k, b);
        return wrapped(sum, 32);
      });
      for (const bool high : {false, true})
        check_form({.operation = high ? Operation::dp2a_hi : Operation::dp2a_lo, .type = a, .other = b},
                   [&](Sources s) {
                     Wide sum = s[2];
                     for (int k = 0; k < 2; ++k)
                       sum += part(s[0], 16, k, a) * part(s[1], 8, high ? 2 + k : k, b);
                     return wrapped(sum, 32);
                   });
    }
}

TEST_CASE("packed 16-bit integers")
{
  for (const Type type : {Type::u16x2, Type::s16x2}) {
    const auto by_halves = [&](Operation operation, const std::function<Wide(Wide, Wide)>& formula) {
      check_form({.operation = operation, .type = type}, [&](Sources s) {
        const bool is_signed = type == Type::s16x2;
        const auto half = [&](int shift) {
          return wrapped(formula(number(s[0] >> shift, 16, is_signed), number(s[1] >> shift, 16, is_signed)), 16);
        };
        return half(0) | half(16) << 16;
      });
    };
    by_halves(Operation::add, [](Wide a, Wide b) { return a + b; });
    by_halves(Operation::min, [](Wide a, Wide b) { return a < b ? a : b; });
    by_halves(Operation::max, [](Wide a, Wide b) { return a > b ? a : b; });
  }
}

/// Runs one form with carries and compares d and the carry with those of the infinite sum.
void check_carry(const Form& form, int bits, const std::function<Wide(Sources, Wide carry)>& sum)
{
  std::mt19937_64 random(11);
  for (const Core core : available_cores())
    for (int round = 0; round < 20; ++round) {
      FormRun prepared(form);
      prepared.randomise(random);
      FormRun run = prepared;
      run.run(core);
      const int count = static_cast<int>(prepared.list().size());
      for (int lane = 0; lane < kLanes; ++lane) {
        std::vector<std::uint64_t> sources;
        for (int k = 1; k < count - 2; ++k)
          sources.push_back(prepared.value(k, lane));
        const Wide total = sum(sources, form.carry_in ? prepared.predicate(count - 1) >> lane & 1 : 0);
        REQUIRE(run.value(0, lane) == wrapped(total, bits));
        const bool carry = total < 0 || total >= power(bits);
        const bool kept = prepared.predicate(count - 2) >> lane & 1;
        REQUIRE((run.predicate(count - 2) >> lane & 1) == (form.carry_out ? carry : kept));
      }
    }
}

TEST_CASE("carries go in and out")
{
  for (const Type type : {Type::u32, Type::s32, Type::u64, Type::s64})
    for (const int flags : {1, 2, 3}) {
      const int bits = type == Type::u32 || type == Type::s32 ? 32 : 64;
      Form form{.type = type, .carry_in = (flags & 1) != 0, .carry_out = (flags & 2) != 0};
      form.operation = Operation::add;
      check_carry(form, bits, [](Sources s, Wide carry) { return Wide{s[0]} + Wide{s[1]} + carry; });
      form.operation = Operation::sub;
      check_carry(form, bits, [](Sources s, Wide carry) { return Wide{s[0]} - Wide{s[1]} - carry; });
      if (bits == 64) continue;
      const auto product = [&](Sources s) {
        return number(s[0], 32, type == Type::s32) * number(s[1], 32, type == Type::s32);
      };
      form.operation = Operation::mad_lo;
      check_carry(form, 32, [&](Sources s, Wide carry) { return Wide{wrapped(product(s), 32)} + Wide{s[2]} + carry; });
      form.operation = Operation::mad_hi;
      check_carry(form, 32, [&](Sources s, Wide carry) {
        return Wide{wrapped(shifted(product(s), 32), 32)} + Wide{s[2]} + carry;
      });
    }
}

}  // namespace
}  // namespace flashgate::gpu::isa
