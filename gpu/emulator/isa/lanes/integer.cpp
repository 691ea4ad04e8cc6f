// Integer arithmetic without carry: PTX ISA, "Integer Arithmetic Instructions".
#include "gpu/emulator/isa/lanes/element.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

constexpr auto kAdd = [](auto a, auto b) { return a + b; };
constexpr auto kSub = [](auto a, auto b) { return a - b; };
constexpr auto kMin = [](auto a, auto b) { return a < b ? a : b; };
constexpr auto kMax = [](auto a, auto b) { return a > b ? a : b; };
constexpr auto kMinRelu = [](auto a, auto b) { return kMax(kMin(a, b), decltype(a){}); };
constexpr auto kMaxRelu = [](auto a, auto b) { return kMax(kMax(a, b), decltype(a){}); };
constexpr auto kMul = [](auto a, auto b) { return a * b; };
constexpr auto kMad = [](auto a, auto b, auto c) { return a * b + c; };

// |INT_MIN| and -INT_MIN are INT_MIN, which the detour over unsigned elements gives without overflow.
template <typename T>
constexpr auto kNeg = [](auto a) { return as_bits<decltype(a)>(0 - convert<Unsigned<T>>(a)); };
template <typename T>
constexpr auto kAbs = [](auto a) { return a < 0 ? kNeg<T>(a) : a; };

template <typename T>
constexpr auto kSad = [](auto a, auto b, auto c) {
  const auto x = convert<Unsigned<T>>(a);
  const auto y = convert<Unsigned<T>>(b);
  return as_bits<decltype(c)>(convert<Unsigned<T>>(c) + (a < b ? y - x : x - y));
};

/// The end of the range that a sum with the sign of `a` leaves it at.
constexpr auto kLimit = [](auto a) { return (a >> 31) ^ 0x7FFF'FFFF; };
constexpr auto kAddSat = [](auto a, auto b) {
  const auto sum = as_bits<decltype(a)>(convert<u32>(a) + convert<u32>(b));
  return (~(a ^ b) & (a ^ sum)) < 0 ? kLimit(a) : sum;
};
constexpr auto kSubSat = [](auto a, auto b) {
  const auto difference = as_bits<decltype(a)>(convert<u32>(a) - convert<u32>(b));
  return ((a ^ b) & (a ^ difference)) < 0 ? kLimit(a) : difference;
};

constexpr auto clamp_s32 = [](s64 value) {
  if (value > 0x7FFF'FFFF) return 0x7FFF'FFFF;
  return value < -0x7FFF'FFFF - 1 ? -0x7FFF'FFFF - 1 : static_cast<s32>(value);
};

template <typename T>
constexpr auto kMulHi = [](T a, T b) { return static_cast<T>(Wider<T>{a} * b >> 8 * sizeof(T)); };
template <typename T>
constexpr auto kMadHi =
    [](T a, T b, T c) { return static_cast<T>(Unsigned<T>(Unsigned<T>(kMulHi<T>(a, b)) + Unsigned<T>(c))); };
constexpr auto kMadHiSat = [](s32 a, s32 b, s32 c) { return clamp_s32(s64{kMulHi<s32>(a, b)} + c); };
template <typename T>
constexpr auto kMulWide = [](T a, T b) { return static_cast<Wider<T>>(Wider<T>{a} * b); };
template <typename T>
constexpr auto kMadWide = [](T a, T b, Wider<T> c) {
  using U = Unsigned<Wider<T>>;
  return static_cast<Wider<T>>(U(kMulWide<T>(a, b)) + U(c));
};

// A divisor of zero gives all ones and leaves the dividend as the remainder: the ISA leaves it to the machine, and this
// is what GPUs give. The most negative number by -1 wraps around.
template <typename T>
constexpr auto kDiv = [](T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (kIsSigned<T>)
    if (b == -1) return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a));
  return static_cast<T>(a / b);
};
template <typename T>
constexpr auto kRem = [](T a, T b) {
  if (b == 0) return a;
  if constexpr (kIsSigned<T>)
    if (b == -1) return T(0);
  return static_cast<T>(a % b);
};

template <typename T>
constexpr auto kProduct24 =
    [](T a, T b) { return Wider<T>{T(T(Unsigned<T>(a) << 8) >> 8)} * T(T(Unsigned<T>(b) << 8) >> 8); };
template <typename T>
constexpr auto kMul24Lo = [](T a, T b) { return static_cast<T>(kProduct24<T>(a, b)); };
template <typename T>
constexpr auto kMul24Hi = [](T a, T b) { return static_cast<T>(kProduct24<T>(a, b) >> 16); };
template <typename T>
constexpr auto kMad24Lo = [](T a, T b, T c) { return static_cast<T>(u32(kMul24Lo<T>(a, b)) + u32(c)); };
template <typename T>
constexpr auto kMad24Hi = [](T a, T b, T c) { return static_cast<T>(u32(kMul24Hi<T>(a, b)) + u32(c)); };
constexpr auto kMad24HiSat = [](s32 a, s32 b, s32 c) { return clamp_s32(s64{kMul24Hi<s32>(a, b)} + c); };

/// Bits 8k to 8k + 7, or 16k to 16k + 15, as a number of T's signedness.
template <typename T>
FLASHGATE_INLINE s64 byte_of(T word, int k)
{
  return kIsSigned<T> ? s64{static_cast<s8>(word >> 8 * k)} : s64{static_cast<u8>(word >> 8 * k)};
}
template <typename T>
FLASHGATE_INLINE s64 half_of(T word, int k)
{
  return kIsSigned<T> ? s64{static_cast<s16>(word >> 16 * k)} : s64{static_cast<u16>(word >> 16 * k)};
}

template <typename A, typename B>
constexpr auto kDot4 = [](A a, B b, u32 c) {
  s64 sum = c;
  for (int k = 0; k < 4; ++k)
    sum += byte_of(a, k) * byte_of(b, k);
  return static_cast<u32>(sum);
};
template <typename A, typename B, int kFirst>
constexpr auto kDot2 = [](A a, B b, u32 c) {
  return static_cast<u32>(c + half_of(a, 0) * byte_of(b, kFirst) + half_of(a, 1) * byte_of(b, kFirst + 1));
};

/// The same function on the 16-bit halves of 32-bit words.
template <typename T, const auto& kFunction>
constexpr auto kOnHalves = [](auto a, auto b) {
  using Halves = Vector<T, sizeof(a) / sizeof(T)>;
  return as_bits<decltype(a)>(kFunction(as_bits<Halves>(a), as_bits<Halves>(b)));
};

template <Type kType>
void list_type(const FormSink& sink)
{
  using T = Element<kType>;
  using U = Unsigned<T>;
  sink({.operation = Operation::add, .type = kType}, on_vectors<kAdd, U, U, U>);
  sink({.operation = Operation::sub, .type = kType}, on_vectors<kSub, U, U, U>);
  sink({.operation = Operation::min, .type = kType}, on_vectors<kMin, T, T, T>);
  sink({.operation = Operation::max, .type = kType}, on_vectors<kMax, T, T, T>);
  sink({.operation = Operation::mul_lo, .type = kType}, on_vectors<kMul, U, U, U>);
  sink({.operation = Operation::mad_lo, .type = kType}, on_vectors<kMad, U, U, U, U>);
  sink({.operation = Operation::mul_hi, .type = kType}, on_scalars<kMulHi<T>, T, T, T>);
  sink({.operation = Operation::mad_hi, .type = kType}, on_scalars<kMadHi<T>, T, T, T, T>);
  sink({.operation = Operation::div, .type = kType}, on_scalars<kDiv<T>, T, T, T>);
  sink({.operation = Operation::rem, .type = kType}, on_scalars<kRem<T>, T, T, T>);
  sink({.operation = Operation::sad, .type = kType}, on_vectors<kSad<T>, T, T, T, T>);
  if constexpr (kIsSigned<T>) {
    sink({.operation = Operation::abs, .type = kType}, on_vectors<kAbs<T>, T, T>);
    sink({.operation = Operation::neg, .type = kType}, on_vectors<kNeg<T>, T, T>);
  }
}

template <Type kType>
void list_wide(const FormSink& sink)
{
  using T = Element<kType>;
  using W = Wider<T>;
  sink({.operation = Operation::mul_wide, .type = kType}, on_scalars<kMulWide<T>, W, T, T>);
  sink({.operation = Operation::mad_wide, .type = kType}, on_scalars<kMadWide<T>, W, T, T, W>);
}

template <Type kType>
void list_32(const FormSink& sink)
{
  using T = Element<kType>;
  sink({.operation = Operation::mul24_lo, .type = kType}, on_scalars<kMul24Lo<T>, T, T, T>);
  sink({.operation = Operation::mul24_hi, .type = kType}, on_scalars<kMul24Hi<T>, T, T, T>);
  sink({.operation = Operation::mad24_lo, .type = kType}, on_scalars<kMad24Lo<T>, T, T, T, T>);
  sink({.operation = Operation::mad24_hi, .type = kType}, on_scalars<kMad24Hi<T>, T, T, T, T>);
}

template <Type kType, Type kOther>
void list_dot(const FormSink& sink)
{
  using A = Element<kType>;
  using B = Element<kOther>;
  sink({.operation = Operation::dp4a, .type = kType, .other = kOther}, on_scalars<kDot4<A, B>, u32, A, B, u32>);
  sink({.operation = Operation::dp2a_lo, .type = kType, .other = kOther}, on_scalars<kDot2<A, B, 0>, u32, A, B, u32>);
  sink({.operation = Operation::dp2a_hi, .type = kType, .other = kOther}, on_scalars<kDot2<A, B, 2>, u32, A, B, u32>);
}

template <Type kType, typename T>
void list_packed(const FormSink& sink)
{
  sink({.operation = Operation::add, .type = kType}, on_vectors<kOnHalves<u16, kAdd>, u32, u32, u32>);
  sink({.operation = Operation::min, .type = kType}, on_vectors<kOnHalves<T, kMin>, u32, u32, u32>);
  sink({.operation = Operation::max, .type = kType}, on_vectors<kOnHalves<T, kMax>, u32, u32, u32>);
}

void list_saturating(const FormSink& sink)
{
  const auto with = [&](Operation operation, bool saturate, bool relu, Handler handler) {
    sink({.operation = operation, .type = Type::s32, .saturate = saturate, .relu = relu}, handler);
  };
  with(Operation::add, true, false, on_vectors<kAddSat, s32, s32, s32>);
  with(Operation::sub, true, false, on_vectors<kSubSat, s32, s32, s32>);
  with(Operation::mad_hi, true, false, on_scalars<kMadHiSat, s32, s32, s32, s32>);
  with(Operation::mad24_hi, true, false, on_scalars<kMad24HiSat, s32, s32, s32, s32>);
  with(Operation::min, false, true, on_vectors<kMinRelu, s32, s32, s32>);
  with(Operation::max, false, true, on_vectors<kMaxRelu, s32, s32, s32>);
}

}  // namespace

void list_integer(const FormSink& sink)
{
  list_type<Type::s16>(sink);
  list_type<Type::u16>(sink);
  list_type<Type::s32>(sink);
  list_type<Type::u32>(sink);
  list_type<Type::s64>(sink);
  list_type<Type::u64>(sink);
  list_wide<Type::s16>(sink);
  list_wide<Type::u16>(sink);
  list_wide<Type::s32>(sink);
  list_wide<Type::u32>(sink);
  list_32<Type::s32>(sink);
  list_32<Type::u32>(sink);
  list_dot<Type::s32, Type::s32>(sink);
  list_dot<Type::s32, Type::u32>(sink);
  list_dot<Type::u32, Type::s32>(sink);
  list_dot<Type::u32, Type::u32>(sink);
  list_packed<Type::u16x2, u16>(sink);
  list_packed<Type::s16x2, s16>(sink);
  list_saturating(sink);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
