// f32 and f64 arithmetic against the C library's in the same rounding mode, with the ISA's flushing, saturation and
// canonical NaN around it.
#include <bit>
#include <cfenv>
#include <cmath>

#include <doctest/doctest.h>

#include "form_run.h"

namespace flashgate::gpu::isa {
namespace {

using Sources = std::span<const std::uint64_t>;

float single(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
double twofold(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

template <typename T>
T from_bits(std::uint64_t bits)
{
  if constexpr (sizeof(T) == 4)
    return single(bits);
  else
    return twofold(bits);
}

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

constexpr std::uint64_t kNan32 = 0x7FFF'FFFF;
constexpr std::uint64_t kNan64 = 0x7FF8'0000'0000'0000;

/// Rounding direction of this scope.
class Direction
{
 public:
  explicit Direction(Rounding rounding)
  {
    std::fesetround(rounding == Rounding::rz   ? FE_TOWARDZERO
                    : rounding == Rounding::rm ? FE_DOWNWARD
                    : rounding == Rounding::rp ? FE_UPWARD
                                               : FE_TONEAREST);
  }
  ~Direction() { std::fesetround(FE_TONEAREST); }
  Direction(const Direction&) = delete;
  Direction& operator=(const Direction&) = delete;
};

template <typename T>
struct Formula
{
  Operation operation;
  T (*compute)(T a, T b, T c);
};

template <typename T>
constexpr Formula<T> kFormulas[] = {
    {Operation::add, [](T a, T b, T) -> T { return a + b; }},
    {Operation::sub, [](T a, T b, T) -> T { return a - b; }},
    {Operation::mul, [](T a, T b, T) -> T { return a * b; }},
    {Operation::fma, [](T a, T b, T c) -> T { return std::fma(a, b, c); }},
    {Operation::div, [](T a, T b, T) -> T { return a / b; }},
    {Operation::sqrt, [](T a, T, T) -> T { return std::sqrt(a); }},
    {Operation::rcp, [](T a, T, T) -> T { return T(1) / a; }},
};

/// volatile keeps the compiler from computing outside the rounding mode.
template <typename T>
T compute(const Formula<T>& formula, Rounding rounding, T a, T b, T c)
{
  const volatile T operands[] = {a, b, c};
  const Direction direction(rounding);
  const volatile T result = formula.compute(operands[0], operands[1], operands[2]);
  return result;
}

constexpr Rounding kDirections[] = {Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp};

TEST_CASE("f32 arithmetic rounds, flushes and saturates as the ISA says")
{
  for (const Formula<float>& formula : kFormulas<float>)
    for (const Rounding rounding : kDirections)
      for (const bool ftz : {false, true})
        for (const bool saturate : {false, true}) {
          const Form form{.operation = formula.operation,
                          .type = Type::f32,
                          .rounding = rounding,
                          .ftz = ftz,
                          .saturate = saturate};
          const bool has_sat = formula.operation <= Operation::sub || formula.operation == Operation::mul ||
                               formula.operation == Operation::fma;
          if (saturate && !has_sat) {
            CHECK(!is_supported(form));
            continue;
          }
          check_form(form, [&](Sources s) {
            const auto source = [&](std::size_t k) {
              const float x = k < s.size() ? single(s[k]) : 0.0f;
              return ftz ? flushed(x) : x;
            };
            const float x = compute(formula, rounding, source(0), source(1), source(2));
            if (saturate) return bits_of(x > 0 ? (x < 1 ? (ftz ? flushed(x) : x) : 1.0f) : 0.0f);
            return std::isnan(x) ? kNan32 : bits_of(ftz ? flushed(x) : x);
          });
        }
}

TEST_CASE("f64 arithmetic rounds in every direction")
{
  for (const Formula<double>& formula : kFormulas<double>)
    for (const Rounding rounding : kDirections)
      check_form({.operation = formula.operation, .type = Type::f64, .rounding = rounding}, [&](Sources s) {
        const auto source = [&](std::size_t k) { return k < s.size() ? twofold(s[k]) : 0.0; };
        const double x = compute(formula, rounding, source(0), source(1), source(2));
        return std::isnan(x) ? kNan64 : bits_of(x);
      });
}

/// The ISA's text of min and max, with -0 below +0.
template <typename T>
std::uint64_t extremum(Sources s, const Form& form, std::uint64_t nan)
{
  T a = from_bits<T>(s[0]);
  T b = from_bits<T>(s[1]);
  if constexpr (sizeof(T) == 4)
    if (form.ftz) {
      a = flushed(a);
      b = flushed(b);
    }
  const bool negative = std::signbit(a) != std::signbit(b);
  if (form.xorsign_abs) {
    a = std::fabs(a);
    b = std::fabs(b);
  }
  const auto signed_result = [&](T x) {
    if (std::isnan(x)) return nan;
    return bits_of(form.xorsign_abs ? std::copysign(x, negative ? T(-1) : T(1)) : x);
  };
  if (std::isnan(a) && std::isnan(b)) return nan;
  if (std::isnan(a) || std::isnan(b)) return form.nan ? nan : signed_result(std::isnan(a) ? b : a);
  const bool a_is_less = a < b || (a == b && std::signbit(a));
  return signed_result(a_is_less == (form.operation == Operation::min) ? a : b);
}

TEST_CASE("minimum and maximum know NaN, signed zeros and signs")
{
  for (const Operation operation : {Operation::min, Operation::max}) {
    for (int flags = 0; flags < 8; ++flags) {
      const Form form{.operation = operation,
                      .type = Type::f32,
                      .ftz = (flags & 1) != 0,
                      .nan = (flags & 2) != 0,
                      .xorsign_abs = (flags & 4) != 0};
      check_form(form, [&](Sources s) { return extremum<float>(s, form, kNan32); });
    }
    const Form form{.operation = operation, .type = Type::f64};
    check_form(form, [&](Sources s) { return extremum<double>(s, form, kNan64); });
  }
}

TEST_CASE("sign operations work on the sign bit only")
{
  constexpr std::uint64_t kSign32 = 0x8000'0000;
  constexpr std::uint64_t kSign64 = kSign32 << 32;
  for (const bool ftz : {false, true}) {
    const auto source = [=](std::uint64_t bits) { return ftz && (bits & 0x7F80'0000) == 0 ? bits & kSign32 : bits; };
    check_form({.operation = Operation::abs, .type = Type::f32, .ftz = ftz},
               [=](Sources s) { return source(s[0]) & ~kSign32; });
    check_form({.operation = Operation::neg, .type = Type::f32, .ftz = ftz},
               [=](Sources s) { return source(s[0]) ^ kSign32; });
  }
  check_form({.operation = Operation::abs, .type = Type::f64}, [](Sources s) { return s[0] & ~kSign64; });
  check_form({.operation = Operation::neg, .type = Type::f64}, [](Sources s) { return s[0] ^ kSign64; });
  check_form({.operation = Operation::copysign, .type = Type::f32},
             [](Sources s) { return (s[0] & kSign32) | (s[1] & ~kSign32); });
  check_form({.operation = Operation::copysign, .type = Type::f64},
             [](Sources s) { return (s[0] & kSign64) | (s[1] & ~kSign64); });
}

template <typename T>
bool has_property(T x, Mode mode)
{
  switch (mode) {
    case Mode::finite:
      return std::isfinite(x);
    case Mode::infinite:
      return std::isinf(x);
    case Mode::number:
      return !std::isnan(x);
    case Mode::notanumber:
      return std::isnan(x);
    case Mode::subnormal:
      return std::fpclassify(x) == FP_SUBNORMAL;
    default:
      return std::isnormal(x) || x == 0;
  }
}

TEST_CASE("properties of numbers are tested; zeros are normal")
{
  for (const Mode mode :
       {Mode::finite, Mode::infinite, Mode::number, Mode::notanumber, Mode::normal, Mode::subnormal}) {
    check_form({.operation = Operation::testp, .type = Type::f32, .mode = mode},
               [=](Sources s) { return std::uint64_t{has_property(single(s[0]), mode)}; });
    check_form({.operation = Operation::testp, .type = Type::f64, .mode = mode},
               [=](Sources s) { return std::uint64_t{has_property(twofold(s[0]), mode)}; });
  }
}

TEST_CASE("pairs of f32 are two instructions")
{
  for (const Formula<float>& formula : kFormulas<float>) {
    if (formula.operation == Operation::div) break;
    for (const Rounding rounding : kDirections)
      for (const bool ftz : {false, true})
        check_form(
            {.operation = formula.operation, .type = Type::f32x2, .rounding = rounding, .ftz = ftz},
            [&](Sources s) {
              const auto half = [&](int shift) {
                const auto source = [&](std::size_t k) {
                  const float x = k < s.size() ? single(s[k] >> shift) : 0.0f;
                  return ftz ? flushed(x) : x;
                };
                const float x = compute(formula, rounding, source(0), source(1), source(2));
                return std::isnan(x) ? kNan32 : bits_of(ftz ? flushed(x) : x);
              };
              return half(0) | half(32) << 32;
            },
            10);
  }
}

TEST_CASE("slct takes the sign of c, and b where c is no number")
{
  for (const Type type : {Type::b16, Type::b32, Type::b64}) {
    check_form({.operation = Operation::slct, .type = type, .other = Type::s32},
               [](Sources s) { return static_cast<std::int32_t>(s[2]) >= 0 ? s[0] : s[1]; });
    for (const bool ftz : {false, true})
      check_form({.operation = Operation::slct, .type = type, .other = Type::f32, .ftz = ftz}, [=](Sources s) {
        const float c = ftz ? flushed(single(s[2])) : single(s[2]);
        return c >= 0 ? s[0] : s[1];
      });
  }
}

}  // namespace
}  // namespace flashgate::gpu::isa
