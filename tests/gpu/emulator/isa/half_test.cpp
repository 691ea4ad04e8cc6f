// f16 and bf16 arithmetic: exact results, rounded by the list of all values of the format.
#include <cmath>

#include <doctest/doctest.h>

#include "form_run.h"
#include "half_oracle.h"

namespace flashgate::gpu::isa {
namespace {

using Sources = std::span<const std::uint64_t>;

struct Kind
{
  HalfFormat format;
  Type scalar;
  Type packed;
};
constexpr Kind kKinds[] = {{HalfFormat::f16, Type::f16, Type::f16x2}, {HalfFormat::bf16, Type::bf16, Type::bf16x2}};

/// A half of one's own: noise, or one of a range where sums of exact products fit into a long double.
std::uint64_t near_one(std::mt19937_64& random, int bytes)
{
  const auto half = [&] { return (random() % 2 << 15) | (0x3A00 + random() % 0x0A00); };
  return bytes == 2 ? half() : half() << 16 | half();
}

/// Checks the scalar and the packed form against a function of single halves.
void check_both(const Kind& kind, Form form,
                const std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)>& one, bool any_value)
{
  for (const bool packed : {false, true}) {
    form.type = packed ? kind.packed : kind.scalar;
    const auto reference = [&](Sources s) {
      const auto at = [&](int shift) {
        const auto source = [&](std::size_t k) { return k < s.size() ? s[k] >> shift & 0xFFFF : 0; };
        return one(source(0), source(1), source(2));
      };
      return packed ? at(0) | at(16) << 16 : at(0);
    };
    if (any_value) check_form(form, reference, 30);
    check_form(form, reference, 30, near_one);
  }
}

long double limited(const Form& form, long double exact)
{
  if (form.saturate) return exact > 0 ? (exact < 1 ? exact : 1.0L) : 0.0L;
  if (form.relu) return exact <= 0 ? 0.0L : exact;
  return exact;
}

void check_arithmetic(const Kind& kind, Form form, long double (*exact)(long double, long double, long double))
{
  // A long double holds sums and products of two halves, and sums of a product and a half near 1.
  const bool any_value = form.operation != Operation::fma && kind.format == HalfFormat::f16;
  form.rounding = Rounding::rn;
  check_both(
      kind, form,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        const auto value = [&](std::uint64_t bits) {
          return half_value(kind.format, form.ftz ? flushed_half(kind.format, bits) : bits);
        };
        const std::uint64_t d =
            rounded_half(kind.format, limited(form, exact(value(a), value(b), value(c))), Rounding::rn);
        return form.ftz ? flushed_half(kind.format, d) : d;
      },
      any_value);
}

TEST_CASE("half precision arithmetic is rounded once")
{
  for (const Kind& kind : kKinds) {
    for (int flags = 0; flags < (kind.format == HalfFormat::f16 ? 4 : 1); ++flags) {
      const Form form{.ftz = (flags & 1) != 0, .saturate = (flags & 2) != 0};
      const auto with = [&](Operation operation) {
        Form named = form;
        named.operation = operation;
        return named;
      };
      check_arithmetic(kind, with(Operation::add), [](long double a, long double b, long double) { return a + b; });
      check_arithmetic(kind, with(Operation::sub), [](long double a, long double b, long double) { return a - b; });
      check_arithmetic(kind, with(Operation::mul), [](long double a, long double b, long double) { return a * b; });
      check_arithmetic(kind, with(Operation::fma),
                       [](long double a, long double b, long double c) { return a * b + c; });
    }
    check_arithmetic(kind, {.operation = Operation::fma, .relu = true},
                     [](long double a, long double b, long double c) { return a * b + c; });
  }
}

/// Ties that rounding twice gets wrong: a product on a tie, and an addend far below.
TEST_CASE("fma decides ties by what is far below them")
{
  struct Case
  {
    const char* about;
    HalfFormat format;
    std::uint64_t a, b, c, d;
  };
  constexpr Case kCases[] = {
      {"bf16 tie, positive rest", HalfFormat::bf16, 0x3F81, 0x3FC0, 0x0080, 0x3FC2},
      {"bf16 tie, negative rest", HalfFormat::bf16, 0x3F81, 0x3FC0, 0x8080, 0x3FC1},
      {"f16 tie, positive rest", HalfFormat::f16, 0x3C01, 0x3E00, 0x0001, 0x3E02},
      {"f16 tie, negative rest", HalfFormat::f16, 0x3C01, 0x3E00, 0x8001, 0x3E01},
  };
  for (const Core core : available_cores())
    for (const Case& c : kCases) {
      const Type type = c.format == HalfFormat::f16 ? Type::f16 : Type::bf16;
      FormRun run({.operation = Operation::fma, .type = type, .rounding = Rounding::rn});
      run.set(1, 0, c.a);
      run.set(2, 0, c.b);
      run.set(3, 0, c.c);
      run.run(core);
      CHECK_MESSAGE(run.value(0, 0) == c.d, c.about);
    }
}

TEST_CASE("half precision minimum and maximum")
{
  for (const Kind& kind : kKinds)
    for (int flags = 0; flags < 16; ++flags) {
      const Form form{.operation = flags & 8 ? Operation::max : Operation::min,
                      .ftz = (flags & 1) != 0,
                      .nan = (flags & 2) != 0,
                      .xorsign_abs = (flags & 4) != 0};
      if (form.ftz && kind.format == HalfFormat::bf16) continue;
      check_both(
          kind, form,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) -> std::uint64_t {
            const auto source = [&](std::uint64_t bits) { return form.ftz ? flushed_half(kind.format, bits) : bits; };
            std::uint64_t x = source(a);
            std::uint64_t y = source(b);
            const std::uint64_t sign = (x ^ y) & 0x8000;
            if (form.xorsign_abs) {
              x &= 0x7FFF;
              y &= 0x7FFF;
            }
            const bool x_nan = is_half_nan(kind.format, x);
            const bool y_nan = is_half_nan(kind.format, y);
            if ((x_nan && y_nan) || (form.nan && (x_nan || y_nan))) return 0x7FFF;
            const double p = half_value(kind.format, x);
            const double q = half_value(kind.format, y);
            const bool x_less = p < q || (p == q && (x & 0x8000) != 0);
            const bool take_x = x_nan ? false : y_nan || x_less == (form.operation == Operation::min);
            return (take_x ? x : y) | (form.xorsign_abs ? sign : 0);
          },
          true);
    }
}

TEST_CASE("signs of all halves are cleared and flipped")
{
  for (const Kind& kind : kKinds)
    for (const bool ftz : {false, true}) {
      if (ftz && kind.format == HalfFormat::bf16) continue;
      for (const Operation operation : {Operation::abs, Operation::neg})
        for (const Core core : available_cores())
          for (std::uint64_t bits = 0; bits < 0x10000; bits += kLanes) {
            FormRun run({.operation = operation, .type = kind.scalar, .ftz = ftz});
            for (int lane = 0; lane < kLanes; ++lane)
              run.set(1, lane, bits + static_cast<std::uint64_t>(lane));
            run.run(core);
            bool right = true;
            for (int lane = 0; lane < kLanes; ++lane) {
              const std::uint64_t a = bits + static_cast<std::uint64_t>(lane);
              const std::uint64_t source = ftz ? flushed_half(kind.format, a) : a;
              right = right && run.value(0, lane) == (operation == Operation::abs ? source & 0x7FFF : source ^ 0x8000);
            }
            REQUIRE(right);
          }
    }
}

}  // namespace
}  // namespace flashgate::gpu::isa
