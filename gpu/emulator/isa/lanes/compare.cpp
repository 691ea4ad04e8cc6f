// Comparisons of integers, f32 and f64: PTX ISA, "Comparison and Selection Instructions".
#include "gpu/emulator/isa/lanes/comparison.h"
#include "gpu/emulator/isa/lanes/element.h"
#include "gpu/emulator/isa/lanes/float_mode.h"
#include "gpu/emulator/isa/lanes/lane_bits.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

/// Bit k: lane k of the operands in slots `at` and `at` + 1 compares.
template <typename T, Comparison kComparison, bool kFtz>
FLASHGATE_INLINE LaneMask compare_inline(const Registers& registers, const Instruction& instruction, int at)
{
  constexpr int N = lanes_per_step<T>();
  const T* const a = registers.lanes<T>(instruction.slot[at]);
  const T* const b = registers.lanes<T>(instruction.slot[at + 1]);
  LaneMask bits = 0;
  with_control<control_of(Rounding::rn, kFtz)>([&] {
    FLASHGATE_UNROLL
    for (int first = 0; first < kLanes; first += N) {
      const Vector<Signed<T>, N> set = kCompare<kComparison>(load<T, N>(a + first), load<T, N>(b + first));
      bits |= lane_bits<Signed<T>, N>(set) << first;
    }
    asm volatile("" : "+r"(bits));  // inside the mode
  });
  return bits;
}

/// Called, not inlined, where a predicate takes part: that is one function for its many users.
using Compare = LaneMask (*)(const Registers&, const Instruction&, int at);
template <typename T, Comparison kComparison, bool kFtz>
[[gnu::noinline]] LaneMask compare_called(const Registers& registers, const Instruction& instruction, int at)
{
  return compare_inline<T, kComparison, kFtz>(registers, instruction, at);
}

template <typename T, Comparison kComparison, bool kFtz>
void set_predicates(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const LaneMask bits = compare_inline<T, kComparison, kFtz>(registers, instruction, 2);
  set_predicate(registers, instruction, 0, bits, mask);
  set_predicate(registers, instruction, 1, ~bits, mask);
}

template <Compare kCompare, Combine kCombine>
void set_combined_predicates(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const LaneMask bits = kCompare(registers, instruction, 2);
  const LaneMask other = predicate(registers, instruction, 4);
  set_predicate(registers, instruction, 0, combine<kCombine>(bits, other), mask);
  set_predicate(registers, instruction, 1, combine<kCombine>(~bits, other), mask);
}

[[gnu::noinline]] void write_truth(const Registers& registers, u32 slot, LaneMask truth, u32 word, LaneMask mask)
{
  constexpr int N = lanes_per_step<u32>();
  u32* const d = registers.lanes<u32>(slot);
  for (int first = 0; first < kLanes; first += N)
    store_lanes<N>(d, first, as_bits<Vector<u32, N>>(expand<u32, N>(truth, first)) & word, mask);
}

template <Compare kCompare, Combine kCombine, u32 kTrue>
void set_words(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const LaneMask bits = kCompare(registers, instruction, 1);
  const LaneMask other = kCombine == Combine::none ? 0 : predicate(registers, instruction, 3);
  write_truth(registers, instruction.slot[0], combine<kCombine>(bits, other), kTrue, mask);
}

template <Type kType, Comparison kComparison, Combine kCombine, bool kFtz>
[[gnu::cold, gnu::noinline]] void list_form(const FormSink& sink)
{
  using T = Element<kType>;
  constexpr Compare kFunction = compare_called<T, kComparison, kFtz>;
  const auto list = [&](Operation operation, Type d, Type source, Handler handler) {
    sink({.operation = operation,
          .type = d,
          .other = source,
          .comparison = kComparison,
          .combine = kCombine,
          .ftz = kFtz},
         handler);
  };
  list(Operation::set, Type::u32, kType, set_words<kFunction, kCombine, 0xFFFF'FFFF>);
  list(Operation::set, Type::s32, kType, set_words<kFunction, kCombine, 0xFFFF'FFFF>);
  list(Operation::set, Type::f32, kType, set_words<kFunction, kCombine, 0x3F80'0000>);
  if constexpr (kCombine == Combine::none)
    list(Operation::setp, kType, Type::none, set_predicates<T, kComparison, kFtz>);
  else
    list(Operation::setp, kType, Type::none, set_combined_predicates<kFunction, kCombine>);
}

template <Type kType>
void list_integers(const FormSink& sink)
{
  for_each_combine([&]<Combine kCombine>() {
    for_each_ordering([&]<Comparison kComparison>() { list_form<kType, kComparison, kCombine, false>(sink); });
  });
}

template <Type kType>
void list_bits_only(const FormSink& sink)
{
  for_each_combine([&]<Combine kCombine>() {
    list_form<kType, Comparison::eq, kCombine, false>(sink);
    list_form<kType, Comparison::ne, kCombine, false>(sink);
  });
}

template <Type kType, bool kFtz>
void list_floats(const FormSink& sink)
{
  for_each_combine([&]<Combine kCombine>() {
    for_each_float_comparison([&]<Comparison kComparison>() { list_form<kType, kComparison, kCombine, kFtz>(sink); });
  });
}

}  // namespace

void list_compare(const FormSink& sink)
{
  list_integers<Type::s16>(sink);
  list_integers<Type::u16>(sink);
  list_integers<Type::s32>(sink);
  list_integers<Type::u32>(sink);
  list_integers<Type::s64>(sink);
  list_integers<Type::u64>(sink);
  list_bits_only<Type::b16>(sink);
  list_bits_only<Type::b32>(sink);
  list_bits_only<Type::b64>(sink);
  list_floats<Type::f32, false>(sink);
  list_floats<Type::f32, true>(sink);
  list_floats<Type::f64, false>(sink);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
