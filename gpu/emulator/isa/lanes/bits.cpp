// Logic, shifts and bit fields: PTX ISA, "Logic and Shift Instructions" and the bit operations of "Integer Arithmetic
// Instructions".
#include "gpu/emulator/isa/lanes/element.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

constexpr auto kAnd = [](auto a, auto b) { return a & b; };
constexpr auto kOr = [](auto a, auto b) { return a | b; };
constexpr auto kXor = [](auto a, auto b) { return a ^ b; };
constexpr auto kNot = [](auto a) { return ~a; };
constexpr auto kCnot = [](auto a) { return a == 0 ? decltype(a){} + 1 : decltype(a){}; };

// Shift amounts beyond the width shift everything out.
template <typename T>
constexpr auto kShlElement = [](T a, u32 b) { return b >= 8 * sizeof(T) ? T(0) : static_cast<T>(a << b); };
template <typename T>
constexpr auto kShrElement = [](T a, u32 b) {
  constexpr u32 kWidth = 8 * sizeof(T);
  if constexpr (kIsSigned<T>)
    return static_cast<T>(a >> (b >= kWidth ? kWidth - 1 : b));
  else
    return b >= kWidth ? T(0) : static_cast<T>(a >> b);
};
// The same on vectors, where all elements are 32 bits.
constexpr auto kShl32 = [](auto a, auto b) { return b > 31 ? decltype(a){} : a << (b & 31); };
constexpr auto kShr32 = [](auto a, auto b) { return b > 31 ? decltype(a){} : a >> (b & 31); };
constexpr auto kShr32Signed = [](auto a, auto b) { return a >> convert<s32>(b > 31 ? decltype(b){} + 31 : b); };

/// (b:a) shifted; the upper half of a left shift, the lower half of a right shift.
template <bool kLeft, bool kWrap>
constexpr auto kFunnel = [](u32 a, u32 b, u32 c) {
  const u32 amount = kWrap ? c & 31 : (c > 32 ? 32 : c);
  const u64 both = u64{b} << 32 | a;
  return static_cast<u32>(kLeft ? both << amount >> 32 : both >> amount);
};

template <typename T>
constexpr auto kExtract = [](T a, u32 position, u32 length) {
  using U = Unsigned<T>;
  constexpr u32 kWidth = 8 * sizeof(T);
  position &= 0xFF;
  length &= 0xFF;
  if (length == 0) return T(0);
  const u32 last = position + length - 1 < kWidth ? position + length - 1 : kWidth - 1;
  const bool sign = kIsSigned<T> && (U(a) >> last & 1);
  const U fill = sign ? ~U(0) : U(0);
  if (position >= kWidth) return static_cast<T>(fill);
  const U field = U(a) >> position;
  const u32 present = last - position + 1;
  if (present >= kWidth) return static_cast<T>(field);
  const U low = (U(1) << present) - 1;
  return static_cast<T>((field & low) | (fill & ~low));
};

template <typename U>
constexpr auto kInsert = [](U a, U b, u32 position, u32 length) {
  constexpr u32 kWidth = 8 * sizeof(U);
  position &= 0xFF;
  length &= 0xFF;
  if (position >= kWidth) return b;
  const U ones = length >= kWidth ? ~U(0) : (U(1) << length) - 1;
  const U field = ones << position;
  return (b & ~field) | ((a << position) & field);
};

template <typename U>
constexpr auto kPopulation = [](U a) { return static_cast<u32>(__builtin_popcountll(a)); };
template <typename U>
constexpr auto kLeadingZeros = [](U a) {
  constexpr u32 kBeyond = 64 - 8 * sizeof(U);
  return a == 0 ? u32{8 * sizeof(U)} : static_cast<u32>(__builtin_clzll(a)) - kBeyond;
};
/// Position of the highest bit that differs from the sign; all ones if there is none.
template <typename T, bool kShift>
constexpr auto kFind = [](T a) {
  using U = Unsigned<T>;
  const U bits = static_cast<U>(kIsSigned<T> && a < T(0) ? ~a : a);
  const u32 zeros = kLeadingZeros<U>(bits);
  if (bits == 0) return ~u32{0};
  return kShift ? zeros : static_cast<u32>(8 * sizeof(U) - 1) - zeros;
};

template <typename U>
constexpr auto kReverseBits = [](U a) {
  constexpr U kOnes = ~U(0);
  a = (a >> 1 & kOnes / 3) | (a & kOnes / 3) << 1;
  a = (a >> 2 & kOnes / 5) | (a & kOnes / 5) << 2;
  a = (a >> 4 & kOnes / 17) | (a & kOnes / 17) << 4;
  return sizeof(U) == 4 ? static_cast<U>(__builtin_bswap32(static_cast<u32>(a))) : static_cast<U>(__builtin_bswap64(a));
};

/// The n-th set bit (n = |offset|) at or beyond `base`, upwards or downwards; all ones if there is none.
constexpr auto kFindNthSet = [](u32 bits, u32 base, s32 offset) {
  const s32 step = offset < 0 ? -1 : 1;
  s64 left = offset < 0 ? -s64{offset} : s64{offset};
  if (offset == 0) return base < 32 && (bits >> base & 1) ? base : ~u32{0};
  for (s64 at = base; at >= 0 && at < 32; at += step)
    if ((bits >> at & 1) && --left == 0) return static_cast<u32>(at);
  return ~u32{0};
};

template <typename T, bool kClamp>
constexpr auto kExtend = [](u32 a, u32 b) {
  if (kClamp && b >= 32) return a;
  const u32 width = b & 31;
  if (width == 0) return u32{0};
  const u32 above = ~u32{0} << width;
  const bool sign = kIsSigned<T> && (a >> (width - 1) & 1);
  return (a & ~above) | (sign ? above : 0);
};

template <bool kClamp>
constexpr auto kBitMask = [](u32 a, u32 b) {
  const u32 from = a & 31;
  const u32 to = from + (b & 31);
  const u32 above_from = kClamp && a >= 32 ? 0 : ~u32{0} << from;
  const bool to_the_end = to >= 32 || (kClamp && (a >= 32 || b >= 32));
  return above_from & ~(to_the_end ? 0 : ~u32{0} << to);
};

/// One of the eight bytes of (b:a), at a position between 0 and 7.
constexpr auto kByteAt = [](auto a, auto b, auto position) {
  const auto word = (position & 4) != 0 ? b : a;
  return word >> ((position & 3) * 8) & 0xFF;
};
constexpr auto kPermute = [](auto a, auto b, auto c) {
  decltype(a) d{};
  for (u32 k = 0; k < 4; ++k) {
    const auto selector = c >> 4 * k;
    const auto byte = kByteAt(a, b, selector & 7);
    const auto sign = (byte >> 7) * 0xFF;
    d |= ((selector & 8) != 0 ? sign : byte) << 8 * k;
  }
  return d;
};
template <Mode kMode>
constexpr auto kPermuteMode = [](auto a, auto b, auto c) {
  const auto s = c & 3;
  decltype(a) d{};
  for (u32 k = 0; k < 4; ++k) {
    decltype(a) position{};
    if constexpr (kMode == Mode::f4e) position = s + k;
    if constexpr (kMode == Mode::b4e) position = (s - k) & 7;
    if constexpr (kMode == Mode::rc8) position = s;
    if constexpr (kMode == Mode::ecl) position = s > k ? s : decltype(s){} + k;
    if constexpr (kMode == Mode::ecr) position = s < k ? s : decltype(s){} + k;
    if constexpr (kMode == Mode::rc16) position = (s & 1) * 2 + (k & 1);
    d |= kByteAt(a, b, position) << 8 * k;
  }
  return d;
};

/// Bit 4a + 2b + c of `table`, bit by bit.
constexpr auto kLookUp = [](auto a, auto b, auto c, u32 table) {
  using V = decltype(a);
  const auto row = [&](u32 k) {
    const V off = V{} - (table >> 2 * k & 1);
    const V on = V{} - (table >> (2 * k + 1) & 1);
    return (off & ~c) | (on & c);
  };
  const auto without_a = (row(0) & ~b) | (row(1) & b);
  const auto with_a = (row(2) & ~b) | (row(3) & b);
  return (without_a & ~a) | (with_a & a);
};

void look_up(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const u32 table = static_cast<u32>(instruction.immediate);
  map_vectors<u32, u32, u32, u32>(registers, instruction, mask,
                                  [table](auto a, auto b, auto c) { return kLookUp(a, b, c, table); });
}

template <bool kAnyOf>
void look_up_predicate(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const u32 table = static_cast<u32>(instruction.immediate);
  const auto source = [&](int k) { return registers.lanes<u32>(instruction.slot[k]); };
  alignas(64) u32 results[kLanes];
  LaneMask set = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    results[lane] = kLookUp(source(2)[lane], source(3)[lane], source(4)[lane], table);
    set |= LaneMask{results[lane] != 0} << lane;
  }
  const LaneMask q = predicate(registers, instruction, 5);
  if (instruction.slot[0] != kNoSlot) store_all(registers.lanes<u32>(instruction.slot[0]), results, mask);
  set_predicate(registers, instruction, 1, kAnyOf ? set | q : set & q, mask);
}

template <Operation kOperation>
void on_predicates(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const LaneMask a = predicate(registers, instruction, 1);
  LaneMask d = a;  // mov
  if constexpr (kOperation == Operation::not_) d = ~a;
  if constexpr (kOperation == Operation::and_) d = a & predicate(registers, instruction, 2);
  if constexpr (kOperation == Operation::or_) d = a | predicate(registers, instruction, 2);
  if constexpr (kOperation == Operation::xor_) d = a ^ predicate(registers, instruction, 2);
  set_predicate(registers, instruction, 0, d, mask);
}

template <Operation kOperation>
void list_predicates(const FormSink& sink)
{
  sink({.operation = kOperation, .type = Type::pred}, on_predicates<kOperation>);
}

template <Type kType>
void list_logic(const FormSink& sink)
{
  using T = Element<kType>;
  sink({.operation = Operation::and_, .type = kType}, on_vectors<kAnd, T, T, T>);
  sink({.operation = Operation::or_, .type = kType}, on_vectors<kOr, T, T, T>);
  sink({.operation = Operation::xor_, .type = kType}, on_vectors<kXor, T, T, T>);
  sink({.operation = Operation::not_, .type = kType}, on_vectors<kNot, T, T>);
  sink({.operation = Operation::cnot, .type = kType}, on_vectors<kCnot, T, T>);
}

template <Type kType>
void list_shift(const FormSink& sink)
{
  using T = Element<kType>;
  sink({.operation = Operation::shl, .type = kType}, on_scalars<kShlElement<T>, T, T, u32>);
  sink({.operation = Operation::shr, .type = kType}, on_scalars<kShrElement<T>, T, T, u32>);
}

void list_shift_32(const FormSink& sink)
{
  sink({.operation = Operation::shl, .type = Type::b32}, on_vectors<kShl32, u32, u32, u32>);
  sink({.operation = Operation::shr, .type = Type::b32}, on_vectors<kShr32, u32, u32, u32>);
  sink({.operation = Operation::shr, .type = Type::u32}, on_vectors<kShr32, u32, u32, u32>);
  sink({.operation = Operation::shr, .type = Type::s32}, on_vectors<kShr32Signed, s32, s32, u32>);
  const auto funnel = [&](Mode mode, Handler handler) {
    sink({.operation = Operation::shf, .type = Type::b32, .mode = mode}, handler);
  };
  funnel(Mode::left_clamp, on_scalars<kFunnel<true, false>, u32, u32, u32, u32>);
  funnel(Mode::left_wrap, on_scalars<kFunnel<true, true>, u32, u32, u32, u32>);
  funnel(Mode::right_clamp, on_scalars<kFunnel<false, false>, u32, u32, u32, u32>);
  funnel(Mode::right_wrap, on_scalars<kFunnel<false, true>, u32, u32, u32, u32>);
}

template <Type kType>
void list_counts(const FormSink& sink)
{
  using U = Element<kType>;
  sink({.operation = Operation::popc, .type = kType}, on_scalars<kPopulation<U>, u32, U>);
  sink({.operation = Operation::clz, .type = kType}, on_scalars<kLeadingZeros<U>, u32, U>);
  sink({.operation = Operation::brev, .type = kType}, on_scalars<kReverseBits<U>, U, U>);
  sink({.operation = Operation::bfi, .type = kType}, on_scalars<kInsert<U>, U, U, U, u32, u32>);
}

template <Type kType>
void list_fields(const FormSink& sink)
{
  using T = Element<kType>;
  sink({.operation = Operation::bfe, .type = kType}, on_scalars<kExtract<T>, T, T, u32, u32>);
  sink({.operation = Operation::bfind, .type = kType}, on_scalars<kFind<T, false>, u32, T>);
  sink({.operation = Operation::bfind_shift, .type = kType}, on_scalars<kFind<T, true>, u32, T>);
}

template <Type kType>
void list_extend(const FormSink& sink)
{
  using T = Element<kType>;
  const auto with = [&](Mode mode, Handler handler) {
    sink({.operation = Operation::szext, .type = kType, .mode = mode}, handler);
  };
  with(Mode::clamp, on_scalars<kExtend<T, true>, u32, u32, u32>);
  with(Mode::wrap, on_scalars<kExtend<T, false>, u32, u32, u32>);
}

template <Mode kMode>
void list_permute(const FormSink& sink)
{
  sink({.operation = Operation::prmt, .type = Type::b32, .mode = kMode},
       on_vectors<kPermuteMode<kMode>, u32, u32, u32, u32>);
}

void list_words(const FormSink& sink)
{
  const auto with = [&](Operation operation, Mode mode, Handler handler) {
    sink({.operation = operation, .type = Type::b32, .mode = mode}, handler);
  };
  with(Operation::lop3, Mode::none, look_up);
  with(Operation::lop3_or, Mode::none, look_up_predicate<true>);
  with(Operation::lop3_and, Mode::none, look_up_predicate<false>);
  with(Operation::fns, Mode::none, on_scalars<kFindNthSet, u32, u32, u32, s32>);
  with(Operation::bmsk, Mode::clamp, on_scalars<kBitMask<true>, u32, u32, u32>);
  with(Operation::bmsk, Mode::wrap, on_scalars<kBitMask<false>, u32, u32, u32>);
  with(Operation::prmt, Mode::none, on_vectors<kPermute, u32, u32, u32, u32>);
  list_permute<Mode::f4e>(sink);
  list_permute<Mode::b4e>(sink);
  list_permute<Mode::rc8>(sink);
  list_permute<Mode::ecl>(sink);
  list_permute<Mode::ecr>(sink);
  list_permute<Mode::rc16>(sink);
}

}  // namespace

void list_bits(const FormSink& sink)
{
  list_logic<Type::b16>(sink);
  list_logic<Type::b32>(sink);
  list_logic<Type::b64>(sink);
  list_predicates<Operation::and_>(sink);
  list_predicates<Operation::or_>(sink);
  list_predicates<Operation::xor_>(sink);
  list_predicates<Operation::not_>(sink);
  list_predicates<Operation::mov>(sink);
  list_shift<Type::b16>(sink);
  list_shift<Type::b64>(sink);
  sink({.operation = Operation::shr, .type = Type::u16}, on_scalars<kShrElement<u16>, u16, u16, u32>);
  sink({.operation = Operation::shr, .type = Type::s16}, on_scalars<kShrElement<s16>, s16, s16, u32>);
  sink({.operation = Operation::shr, .type = Type::u64}, on_scalars<kShrElement<u64>, u64, u64, u32>);
  sink({.operation = Operation::shr, .type = Type::s64}, on_scalars<kShrElement<s64>, s64, s64, u32>);
  list_shift_32(sink);
  list_counts<Type::b32>(sink);
  list_counts<Type::b64>(sink);
  list_fields<Type::u32>(sink);
  list_fields<Type::s32>(sink);
  list_fields<Type::u64>(sink);
  list_fields<Type::s64>(sink);
  list_extend<Type::u32>(sink);
  list_extend<Type::s32>(sink);
  list_words(sink);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
