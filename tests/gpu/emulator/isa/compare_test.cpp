// set and setp against the ISA's tables of comparisons.
#include <bit>
#include <cmath>

#include <doctest/doctest.h>

#include "form_run.h"
#include "half_oracle.h"

namespace flashgate::gpu::isa {
namespace {

constexpr Comparison kComparisons[] = {Comparison::eq,  Comparison::ne,  Comparison::lt,  Comparison::le,
                                       Comparison::gt,  Comparison::ge,  Comparison::equ, Comparison::neu,
                                       Comparison::ltu, Comparison::leu, Comparison::gtu, Comparison::geu,
                                       Comparison::num, Comparison::nan};

/// x and y as numbers; `unordered` if one is none.
bool holds(Comparison comparison, long double x, long double y)
{
  const bool unordered = std::isnan(x) || std::isnan(y);
  switch (comparison) {
    case Comparison::eq:
      return !unordered && x == y;
    case Comparison::ne:
      return !unordered && x != y;
    case Comparison::lt:
      return !unordered && x < y;
    case Comparison::le:
      return !unordered && x <= y;
    case Comparison::gt:
      return !unordered && x > y;
    case Comparison::ge:
      return !unordered && x >= y;
    case Comparison::equ:
      return unordered || x == y;
    case Comparison::neu:
      return unordered || x != y;
    case Comparison::ltu:
      return unordered || x < y;
    case Comparison::leu:
      return unordered || x <= y;
    case Comparison::gtu:
      return unordered || x > y;
    case Comparison::geu:
      return unordered || x >= y;
    case Comparison::num:
      return !unordered;
    case Comparison::nan:
      return unordered;
    case Comparison::none:
      break;
  }
  return false;
}

long double flush_single(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? 0.0f : x; }

/// Element `half` of a value, as a number. A long double holds all of them exactly.
long double number(Type type, bool ftz, std::uint64_t bits, int half = 0)
{
  switch (type) {
    case Type::s16:
      return static_cast<std::int16_t>(bits);
    case Type::s32:
      return static_cast<std::int32_t>(bits);
    case Type::s64:
      return static_cast<std::int64_t>(bits);
    case Type::f32: {
      const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      return ftz ? flush_single(x) : x;
    }
    case Type::f64:
      return std::bit_cast<double>(bits);
    case Type::f16:
    case Type::f16x2: {
      const std::uint64_t element = bits >> 16 * half & 0xFFFF;
      return half_value(HalfFormat::f16, ftz ? flushed_half(HalfFormat::f16, element) : element);
    }
    case Type::bf16:
    case Type::bf16x2:
      return half_value(HalfFormat::bf16, bits >> 16 * half & 0xFFFF);
    default:
      return bits;
  }
}

bool combined(Combine combine, bool compared, bool other)
{
  switch (combine) {
    case Combine::and_:
      return compared && other;
    case Combine::or_:
      return compared || other;
    case Combine::xor_:
      return compared != other;
    default:
      return compared;
  }
}

bool is_packed(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

struct Expected
{
  bool first;
  bool second;
};

Expected expected(const Form& form, Type source, std::uint64_t a, std::uint64_t b, bool other)
{
  const auto compare = [&](int half) {
    return holds(form.comparison, number(source, form.ftz, a, half), number(source, form.ftz, b, half));
  };
  const bool first = compare(0);
  const bool second = is_packed(source) ? compare(1) : !first;
  return {combined(form.combine, first, other), combined(form.combine, second, other)};
}

void check_setp(const Form& form, std::mt19937_64& random)
{
  for (const Core core : available_cores()) {
    FormRun prepared(form);
    prepared.randomise(random);
    for (int lane = 0; lane < kLanes; lane += 3)
      prepared.set(3, lane, prepared.value(2, lane));
    const bool negated = random() % 2;
    prepared.instruction().a = negated ? 1 << 4 : 0;
    FormRun run = prepared;
    run.run(core);
    for (int lane = 0; lane < kLanes; ++lane) {
      const bool other = form.combine != Combine::none && (prepared.predicate(4) >> lane & 1) != negated;
      const Expected wanted = expected(form, form.type, prepared.value(2, lane), prepared.value(3, lane), other);
      const bool right =
          (run.predicate(0) >> lane & 1) == wanted.first && (run.predicate(1) >> lane & 1) == wanted.second;
      REQUIRE_MESSAGE(right, describe(form), " of ", prepared.value(2, lane), " and ", prepared.value(3, lane));
    }
  }
}

std::uint64_t truth_of(Type d)
{
  switch (d) {
    case Type::f32:
      return 0x3F80'0000;
    case Type::f16:
    case Type::f16x2:
      return 0x3C00;
    case Type::bf16:
    case Type::bf16x2:
      return 0x3F80;
    case Type::u16:
    case Type::s16:
      return 0xFFFF;
    default:
      return 0xFFFF'FFFF;
  }
}

void check_set(const Form& form)
{
  check_form(
      form,
      [&](std::span<const std::uint64_t> s) {
        const Expected wanted = expected(form, form.other, s[0], s[1], s.size() > 2 && s[2]);
        if (!is_packed(form.other)) return wanted.first ? truth_of(form.type) : 0;
        const std::uint64_t truth = truth_of(form.type) & 0xFFFF;
        return (wanted.first ? truth : 0) | (wanted.second ? truth << 16 : 0);
      },
      3);
}

TEST_CASE("every comparison that is supported follows the tables")
{
  std::mt19937_64 random(21);
  int setp = 0;
  int set = 0;
  for (const Form& form : supported_forms(Core::generic)) {
    if (form.operation == Operation::setp) {
      check_setp(form, random);
      ++setp;
    } else if (form.operation == Operation::set) {
      check_set(form);
      ++set;
    }
  }
  CHECK(setp > 300);
  CHECK(set > 900);
}

TEST_CASE("all orderings exist for integers and all comparisons for floating types")
{
  for (const Comparison comparison : kComparisons)
    for (const Type type : {Type::f32, Type::f64, Type::f16, Type::f16x2, Type::bf16, Type::bf16x2})
      CHECK(is_supported({.operation = Operation::setp, .type = type, .comparison = comparison}));
  for (const Type type : {Type::s16, Type::u16, Type::s32, Type::u32, Type::s64, Type::u64})
    for (const Comparison comparison :
         {Comparison::eq, Comparison::ne, Comparison::lt, Comparison::le, Comparison::gt, Comparison::ge})
      CHECK(is_supported({.operation = Operation::setp, .type = type, .comparison = comparison}));
}

TEST_CASE("setp writes only the predicates that are wanted")
{
  for (const Core core : available_cores()) {
    FormRun run({.operation = Operation::setp, .type = Type::s32, .comparison = Comparison::eq});
    run.set_predicate(1, 0x1234'5678);
    run.instruction().slot[1] = kNoSlot;
    run.run(core, 0x0000'FFFF);
    CHECK(run.predicate(0) == 0x0000'FFFF);
    CHECK(run.predicate(1) == 0x1234'5678);
  }
}

}  // namespace
}  // namespace flashgate::gpu::isa
