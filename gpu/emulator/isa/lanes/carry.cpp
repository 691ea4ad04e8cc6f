// Extended precision arithmetic: PTX ISA, "Extended-Precision Integer Arithmetic Instructions". The carry flag is a
// predicate; after a subtraction it holds the borrow.
#include "gpu/emulator/isa/lanes/element.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

template <typename U>
struct Sum
{
  U value;
  bool carry;
};

template <typename U>
constexpr auto kAddCarry = [](U a, U b, U carry) {
  const Wider<U> sum = Wider<U>{a} + b + carry;
  return Sum<U>{static_cast<U>(sum), (sum >> 8 * sizeof(U)) != 0};
};
template <typename U>
constexpr auto kSubBorrow = [](U a, U b, U borrow) {
  return Sum<U>{static_cast<U>(a - b - borrow), Wider<U>{a} < Wider<U>{b} + borrow};
};

/// d = combine(x(lane), y(lane), carry in); `kSources` is how many source operands come before the flags.
template <typename U, int kSources, bool kIn, bool kOut, typename Combine, typename X, typename Y>
FLASHGATE_INLINE void with_carry(const Registers& registers, const Instruction& instruction, LaneMask mask,
                                 Combine combine, X x, Y y)
{
  const LaneMask in = kIn ? predicate(registers, instruction, kSources + 2) : 0;
  alignas(64) U results[kLanes];
  LaneMask out = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto sum = combine(x(lane), y(lane), U{in >> lane & 1});
    results[lane] = sum.value;
    out |= LaneMask{sum.carry} << lane;
  }
  store_all(registers.lanes<U>(instruction.slot[0]), results, mask);
  if constexpr (kOut) set_predicate(registers, instruction, kSources + 1, out, mask);
}

template <typename U, bool kSubtract, bool kIn, bool kOut>
void add_with_carry(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const U* const a = registers.lanes<U>(instruction.slot[1]);
  const U* const b = registers.lanes<U>(instruction.slot[2]);
  const auto x = [a](int lane) { return a[lane]; };
  const auto y = [b](int lane) { return b[lane]; };
  if constexpr (kSubtract)
    with_carry<U, 2, kIn, kOut>(registers, instruction, mask, kSubBorrow<U>, x, y);
  else
    with_carry<U, 2, kIn, kOut>(registers, instruction, mask, kAddCarry<U>, x, y);
}

template <typename T, bool kHigh, bool kIn, bool kOut>
void mad_with_carry(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  using U = Unsigned<T>;
  const T* const a = registers.lanes<T>(instruction.slot[1]);
  const T* const b = registers.lanes<T>(instruction.slot[2]);
  const U* const c = registers.lanes<U>(instruction.slot[3]);
  const auto product = [a, b](int lane) {
    return static_cast<U>(Wider<T>{a[lane]} * b[lane] >> (kHigh ? 8 * sizeof(T) : 0));
  };
  const auto addend = [c](int lane) { return c[lane]; };
  with_carry<U, 3, kIn, kOut>(registers, instruction, mask, kAddCarry<U>, product, addend);
}

template <Type kType, bool kIn, bool kOut>
void list_flags(const FormSink& sink)
{
  using T = Element<kType>;
  using U = Unsigned<T>;
  const auto with = [&](Operation operation, Handler handler) {
    sink({.operation = operation, .type = kType, .carry_in = kIn, .carry_out = kOut}, handler);
  };
  with(Operation::add, add_with_carry<U, false, kIn, kOut>);
  with(Operation::sub, add_with_carry<U, true, kIn, kOut>);
  with(Operation::mad_lo, mad_with_carry<T, false, kIn, kOut>);
  with(Operation::mad_hi, mad_with_carry<T, true, kIn, kOut>);
}

template <Type kType>
void list_type(const FormSink& sink)
{
  list_flags<kType, false, true>(sink);
  list_flags<kType, true, false>(sink);
  list_flags<kType, true, true>(sink);
}

}  // namespace

void list_carry(const FormSink& sink)
{
  list_type<Type::s32>(sink);
  list_type<Type::u32>(sink);
  list_type<Type::s64>(sink);
  list_type<Type::u64>(sink);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
