// Every cvt that is supported, against exact values: a long double holds all that there is to convert.
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "form_run.h"
#include "half_oracle.h"

namespace flashgate::gpu::isa {
namespace {

struct TypeFacts
{
  int bits;
  bool is_integer;
  bool is_signed;
};

TypeFacts facts(Type type)
{
  switch (type) {
    case Type::u8:
      return {8, true, false};
    case Type::s8:
      return {8, true, true};
    case Type::u16:
      return {16, true, false};
    case Type::s16:
      return {16, true, true};
    case Type::u32:
      return {32, true, false};
    case Type::s32:
      return {32, true, true};
    case Type::u64:
      return {64, true, false};
    case Type::s64:
      return {64, true, true};
    case Type::f64:
      return {64, false, true};
    case Type::f16:
    case Type::bf16:
      return {16, false, true};
    default:
      return {32, false, true};
  }
}

std::uint64_t mask_of(int bits) { return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

long double source_value(const Form& form, std::uint64_t bits)
{
  const TypeFacts source = facts(form.other);
  if (source.is_integer) {
    const std::uint64_t low = bits & mask_of(source.bits);
    const bool negative = source.is_signed && (low >> (source.bits - 1) & 1);
    return negative ? -static_cast<long double>((~low & mask_of(source.bits))) - 1 : static_cast<long double>(low);
  }
  if (form.other == Type::f16) return half_value(HalfFormat::f16, bits & 0xFFFF);
  if (form.other == Type::bf16) return half_value(HalfFormat::bf16, bits & 0xFFFF);
  if (form.other == Type::f64) return std::bit_cast<double>(bits);
  const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return form.ftz && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

bool is_integral(Rounding rounding) { return rounding >= Rounding::rni; }

int direction(Rounding rounding)
{
  switch (rounding) {
    case Rounding::rz:
    case Rounding::rzi:
      return FE_TOWARDZERO;
    case Rounding::rm:
    case Rounding::rmi:
      return FE_DOWNWARD;
    case Rounding::rp:
    case Rounding::rpi:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

long double to_integral(long double x, Rounding rounding)
{
  std::fesetround(direction(rounding));
  volatile long double result = std::nearbyint(static_cast<long double>(x));
  std::fesetround(FE_TONEAREST);
  return result;
}

template <typename T>
T narrowed(long double x, Rounding rounding)
{
  std::fesetround(direction(rounding));
  const volatile long double exact = x;
  volatile T result = static_cast<T>(exact);
  std::fesetround(FE_TONEAREST);
  return result;
}

/// Bits of the register that an integer result lies in.
std::uint64_t integer_result(const Form& form, long double x)
{
  const TypeFacts d = facts(form.type);
  const bool wide = form.other == Type::f64 || d.bits == 64;
  const int in_register = 8 * operands(form)[0].bytes;
  if (std::isnan(x)) {
    const std::uint64_t top = wide ? std::uint64_t{1} << (d.bits - 1) : 0;
    return d.is_signed && top != 0 ? (~std::uint64_t{0} << (d.bits - 1)) & mask_of(in_register) : top;
  }
  const long double low = d.is_signed ? -std::ldexp(1.0L, d.bits - 1) : 0;
  const long double high = std::ldexp(1.0L, d.is_signed ? d.bits - 1 : d.bits) - 1;
  const long double limited = x < low ? low : x > high ? high : x;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(std::fabs(limited));
  return (limited < 0 ? 0 - magnitude : magnitude) & mask_of(in_register);
}

/// Without .sat an integer keeps its low bits.
std::uint64_t truncated(const Form& form, long double x)
{
  const TypeFacts d = facts(form.type);
  const std::uint64_t magnitude = static_cast<std::uint64_t>(std::fabs(x));
  const std::uint64_t low = (x < 0 ? 0 - magnitude : magnitude) & mask_of(d.bits);
  const bool negative = d.is_signed && (low >> (d.bits - 1) & 1);
  const int in_register = 8 * operands(form)[0].bytes;
  return (negative ? low | ~mask_of(d.bits) : low) & mask_of(in_register);
}

long double limited(const Form& form, long double x)
{
  if (form.saturate) return x > 0 ? (x < 1 ? x : 1.0L) : 0.0L;
  if (form.relu) return x <= 0 ? 0.0L : x;
  return x;
}

std::uint64_t half_result(const Form& form, HalfFormat format, long double x)
{
  const std::uint64_t bits =
      rounded_half(format, limited(form, x), form.rounding == Rounding::none ? Rounding::rn : form.rounding);
  const std::uint64_t infinity = format == HalfFormat::f16 ? 0x7C00 : 0x7F80;
  return form.satfinite && (bits & 0x7FFF) == infinity ? bits - 1 : bits;
}

/// tf32 is f32 with 13 bits less: round in steps of 2^13 of the bits, which grow with the magnitude.
std::uint64_t tf32_result(const Form& form, long double x)
{
  const float value = static_cast<float>(limited(form, x));
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7FFF'FFFF;
  const std::uint32_t below = bits & ~0x1FFFu;
  const std::uint32_t rest = bits & 0x1FFF;
  const bool odd = bits & 0x2000;
  bool up = false;
  if (form.rounding == Rounding::rn) up = rest > 0x1000 || (rest == 0x1000 && odd);
  if (form.rounding == Rounding::rna) up = rest >= 0x1000;
  const std::uint32_t result = std::isinf(value) || !up ? below : below + 0x2000;
  return form.satfinite && (result & 0x7FFF'FFFF) == 0x7F80'0000 ? result - 0x2000 : result;
}

std::uint64_t f32_result(const Form& form, long double x)
{
  if (std::isnan(x)) return form.saturate ? 0 : 0x7FFF'FFFF;
  const float rounded = narrowed<float>(x, form.rounding);
  const float kept = form.ftz && std::fpclassify(rounded) == FP_SUBNORMAL ? std::copysign(0.0f, rounded) : rounded;
  return std::bit_cast<std::uint32_t>(static_cast<float>(limited(form, kept)));
}

std::uint64_t f64_result(const Form& form, long double x)
{
  if (std::isnan(x)) return form.saturate ? 0 : 0x7FF8'0000'0000'0000;
  return std::bit_cast<std::uint64_t>(static_cast<double>(limited(form, narrowed<double>(x, form.rounding))));
}

std::uint64_t expected(const Form& form, std::uint64_t bits)
{
  const long double exact = source_value(form, bits);
  const long double x = is_integral(form.rounding) ? to_integral(exact, form.rounding) : exact;
  switch (form.type) {
    case Type::f16:
    case Type::f16x2:
      return half_result(form, HalfFormat::f16, x);
    case Type::bf16:
    case Type::bf16x2:
      return half_result(form, HalfFormat::bf16, x);
    case Type::tf32:
      return tf32_result(form, x);
    case Type::f32:
      return f32_result(form, x);
    case Type::f64:
      return f64_result(form, x);
    default:
      break;
  }
  const bool keeps_low_bits = facts(form.other).is_integer && !form.saturate;
  return keeps_low_bits ? truncated(form, x) : integer_result(form, x);
}

TEST_CASE("every conversion that is supported gives the right bits")
{
  int count = 0;
  for (const Form& form : supported_forms(Core::generic)) {
    if (form.operation != Operation::cvt) continue;
    ++count;
    check_form(
        form,
        [&](std::span<const std::uint64_t> s) {
          return s.size() == 1 ? expected(form, s[0]) : expected(form, s[0]) << 16 | expected(form, s[1]);
        },
        6);
  }
  CHECK(count > 1000);
}

TEST_CASE("all halves survive the way to f32 and back")
{
  for (const Type type : {Type::f16, Type::bf16})
    for (const Core core : available_cores())
      for (std::uint64_t bits = 0; bits < 0x10000; bits += kLanes) {
        const HalfFormat format = type == Type::f16 ? HalfFormat::f16 : HalfFormat::bf16;
        FormRun widen({.operation = Operation::cvt, .type = Type::f32, .other = type});
        FormRun narrow({.operation = Operation::cvt, .type = type, .other = Type::f32, .rounding = Rounding::rn});
        for (int lane = 0; lane < kLanes; ++lane)
          widen.set(1, lane, bits + static_cast<std::uint64_t>(lane));
        widen.run(core);
        for (int lane = 0; lane < kLanes; ++lane)
          narrow.set(1, lane, widen.value(0, lane));
        narrow.run(core);
        for (int lane = 0; lane < kLanes; ++lane) {
          const std::uint64_t half = bits + static_cast<std::uint64_t>(lane);
          const bool nan = is_half_nan(format, half);
          if (!nan)
            REQUIRE(std::bit_cast<float>(static_cast<std::uint32_t>(widen.value(0, lane))) == half_value(format, half));
          REQUIRE(narrow.value(0, lane) == (nan ? 0x7FFF : half));
        }
      }
}

}  // namespace
}  // namespace flashgate::gpu::isa
