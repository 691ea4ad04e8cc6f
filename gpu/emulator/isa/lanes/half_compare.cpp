// Comparisons of f16, f16x2, bf16 and bf16x2: PTX ISA, "Half Precision Comparison Instructions".
#include "gpu/emulator/isa/lanes/comparison.h"
#include "gpu/emulator/isa/lanes/half_format.h"
#include "gpu/emulator/isa/lanes/lane_bits.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

template <typename Format, bool kFtz>
FLASHGATE_INLINE Floats fetch(Words words)
{
  const Halves h = convert<u16>(words);
  return Format::widen(kFtz ? ((h & Format::kExponent) == 0 ? h & 0x8000 : h) : h);
}

/// Bit k: the lower (or upper) halves of lane k's operands in slots `at` and `at` + 1 compare. T is u16 or u32.
template <typename Format, typename T, Comparison kComparison, bool kFtz>
[[gnu::noinline]] LaneMask compare_halves(const Registers& registers, const Instruction& instruction, int at, int shift)
{
  const T* const a = registers.lanes<T>(instruction.slot[at]);
  const T* const b = registers.lanes<T>(instruction.slot[at + 1]);
  LaneMask bits = 0;
  for (int first = 0; first < kLanes; first += kSteps) {
    const Floats x = fetch<Format, kFtz>(convert<u32>(load<T, kSteps>(a + first)) >> shift);
    const Floats y = fetch<Format, kFtz>(convert<u32>(load<T, kSteps>(b + first)) >> shift);
    const Vector<s32, kSteps> set = kCompare<kComparison>(x, y);
    bits |= lane_bits<s32, kSteps>(set) << first;
  }
  return bits;
}

using Compare = LaneMask (*)(const Registers&, const Instruction&, int at, int shift);

/// A scalar comparison gives p and its opposite q, a packed one p of the lower and q of the upper halves.
template <Compare kCompare, Combine kCombine, bool kPacked>
void set_predicates(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const LaneMask lower = kCompare(registers, instruction, 2, 0);
  const LaneMask second = kPacked ? kCompare(registers, instruction, 2, 16) : ~lower;
  const LaneMask other = kCombine == Combine::none ? 0 : predicate(registers, instruction, 4);
  set_predicate(registers, instruction, 0, combine<kCombine>(lower, other), mask);
  set_predicate(registers, instruction, 1, combine<kCombine>(second, other), mask);
}

/// Writes `truth` to the lower half of D (all of a scalar) where `lower` is set, to the upper half where `upper` is.
template <typename D>
[[gnu::noinline]] void write_truth(const Registers& registers, u32 slot, LaneMask lower, LaneMask upper, D truth,
                                   LaneMask mask)
{
  alignas(64) D results[kLanes];
  const u32 high = u32{truth} << 16;
  for (int lane = 0; lane < kLanes; ++lane)
    results[lane] = static_cast<D>((lower >> lane & 1 ? truth : 0) | (upper >> lane & 1 ? high : 0));
  store_all(registers.lanes<D>(slot), results, mask);
}

/// `set`: a truth word (or half) where the comparison holds, else 0; a packed one has a truth per half.
template <Compare kCompare, Combine kCombine, bool kPacked, typename D, D kTrue>
void set_words(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const LaneMask other = kCombine == Combine::none ? 0 : predicate(registers, instruction, 3);
  const LaneMask lower = combine<kCombine>(kCompare(registers, instruction, 1, 0), other);
  const LaneMask upper = kPacked ? combine<kCombine>(kCompare(registers, instruction, 1, 16), other) : 0;
  write_truth<D>(registers, instruction.slot[0], lower, upper, kTrue, mask);
}

template <Combine kCombine, Comparison kComparison, bool kFtz>
Form form_of(Operation operation, Type d, Type source)
{
  return {
      .operation = operation, .type = d, .other = source, .comparison = kComparison, .combine = kCombine, .ftz = kFtz};
}

template <Type kType, typename Format, bool kFtz, Comparison kComparison, Combine kCombine>
[[gnu::noinline]] void list_scalar(const FormSink& sink)
{
  constexpr Compare kFunction = compare_halves<Format, u16, kComparison, kFtz>;
  constexpr u16 kOne = kType == Type::f16 ? 0x3C00 : 0x3F80;
  const auto form = form_of<kCombine, kComparison, kFtz>;
  constexpr Handler kInteger = set_words<kFunction, kCombine, false, u32, 0xFFFF'FFFF>;
  constexpr Handler kInteger16 = set_words<kFunction, kCombine, false, u16, 0xFFFF>;
  sink(form(Operation::setp, kType, Type::none), set_predicates<kFunction, kCombine, false>);
  sink(form(Operation::set, kType, kType), set_words<kFunction, kCombine, false, u16, kOne>);
  sink(form(Operation::set, Type::u32, kType), kInteger);
  sink(form(Operation::set, Type::s32, kType), kInteger);
  sink(form(Operation::set, Type::u16, kType), kInteger16);
  sink(form(Operation::set, Type::s16, kType), kInteger16);
}

template <Type kType, typename Format, bool kFtz, Comparison kComparison, Combine kCombine>
[[gnu::noinline]] void list_packed(const FormSink& sink)
{
  constexpr Compare kFunction = compare_halves<Format, u32, kComparison, kFtz>;
  constexpr u32 kOne = kType == Type::f16x2 ? 0x3C00 : 0x3F80;
  const auto form = form_of<kCombine, kComparison, kFtz>;
  constexpr Handler kInteger = set_words<kFunction, kCombine, true, u32, 0xFFFF>;
  sink(form(Operation::setp, kType, Type::none), set_predicates<kFunction, kCombine, true>);
  sink(form(Operation::set, kType, kType), set_words<kFunction, kCombine, true, u32, kOne>);
  sink(form(Operation::set, Type::u32, kType), kInteger);
  sink(form(Operation::set, Type::s32, kType), kInteger);
}

template <typename Format, Type kScalar, Type kPacked, bool kFtz>
void list_format(const FormSink& sink)
{
  for_each_combine([&]<Combine kCombine>() {
    for_each_float_comparison([&]<Comparison kComparison>() {
      list_scalar<kScalar, Format, kFtz, kComparison, kCombine>(sink);
      list_packed<kPacked, Format, kFtz, kComparison, kCombine>(sink);
    });
  });
}

}  // namespace

void list_half_compare(const FormSink& sink)
{
  list_format<F16, Type::f16, Type::f16x2, false>(sink);
  list_format<F16, Type::f16, Type::f16x2, true>(sink);
  list_format<Bf16, Type::bf16, Type::bf16x2, false>(sink);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
