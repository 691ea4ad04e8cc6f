// Arithmetic of f32 and f64, with every rounding: PTX ISA, "Floating Point Instructions".
#include "gpu/emulator/isa/lanes/comparison.h"
#include "gpu/emulator/isa/lanes/float_mode.h"
#include "gpu/emulator/isa/lanes/float_vector.h"
#include "gpu/emulator/isa/lanes/lane_bits.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

constexpr auto kAdd = [](auto a, auto b) { return a + b; };
constexpr auto kSub = [](auto a, auto b) { return a - b; };
constexpr auto kMul = [](auto a, auto b) { return a * b; };
constexpr auto kDiv = [](auto a, auto b) { return a / b; };
constexpr auto kFma = [](auto a, auto b, auto c) { return multiply_add(a, b, c); };
constexpr auto kSqrt = [](auto a) { return square_root(a); };
constexpr auto kRcp = [](auto a) { return (decltype(a){} + 1) / a; };

/// The ISA wants 0 for a divisor between 2^126 and 2^128, and no number where the dividend is infinite then.
constexpr auto kDivApprox = [](auto a, auto b) {
  using V = decltype(a);
  const auto bits = as_bits<BitsOf<V>>(b);
  const auto magnitude = as_bits<Vector<s32, kElements<V>>>(bits & ~kSignBit<f32>);
  const V zero = as_bits<V>(bits & kSignBit<f32>);
  return (magnitude > 0x7E80'0000) & (magnitude < 0x7F80'0000) ? a * zero : a / b;
};

/// d = f(a, ...) in a rounding mode; what is no number becomes canonical.
template <const auto& kFunction, typename T, Rounding kRounding, bool kFtz, bool kSaturate, typename... S>
void arithmetic(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  with_control<control_of(kRounding, kFtz)>([&] {
    map_vectors<T, S...>(registers, instruction, mask, [](auto... v) {
      const auto result = kFunction(v...);
      if constexpr (kSaturate) return saturate(result);
      return canonical(result);
    });
  });
}

#if !defined(__AVX2__)
/// fma.f32 in a mode other than nearest, in two passes: odd sums in nearest, then the mode narrows them. Rounding down
/// is rounding up of the negated operands, so that an exact zero gets the right sign.
template <Rounding kRounding, bool kFtz, bool kSaturate>
void fma_directed(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  constexpr bool kNegate = kRounding == Rounding::rm;
  constexpr Rounding kInner = kNegate ? Rounding::rp : kRounding;
  alignas(64) f64 sums[kLanes];
  alignas(64) f32 results[kLanes];
  make_visible(sums, results);
  with_control<control_of(Rounding::rn, kFtz)>([&] {
    const f32* const a = registers.lanes<f32>(instruction.slot[1]);
    const f32* const b = registers.lanes<f32>(instruction.slot[2]);
    const f32* const c = registers.lanes<f32>(instruction.slot[3]);
    for (int lane = 0; lane < kLanes; ++lane) {
      const f64 x = kNegate ? -a[lane] : a[lane];
      const f64 z = kNegate ? -c[lane] : c[lane];
      const Vector<f64, 2> sum = odd_sum(Vector<f64, 2>{x * b[lane], 0}, Vector<f64, 2>{z, 0});
      sums[lane] = sum[0];
    }
  });
  with_control<control_of(kInner, kFtz)>([&] {
    for (int lane = 0; lane < kLanes; ++lane)
      results[lane] = static_cast<f32>(sums[lane]);
  });
  for (int first = 0; first < kLanes; first += 4) {
    auto v = load<f32, 4>(results + first);
    if (kNegate) v = -v;
    store(results + first, kSaturate ? saturate(v) : canonical(v));
  }
  store_all(registers.lanes<f32>(instruction.slot[0]), results, mask);
}
#endif

template <Rounding kRounding, bool kFtz, bool kSaturate>
constexpr Handler fma_f32()
{
#if !defined(__AVX2__)
  if constexpr (kRounding != Rounding::rn) return fma_directed<kRounding, kFtz, kSaturate>;
#endif
  return arithmetic<kFma, f32, kRounding, kFtz, kSaturate, f32, f32, f32>;
}

/// -0 is below +0; a number wins over what is no number, except with .NaN.
template <bool kMaximum, bool kKeepNan, bool kXorSign>
constexpr auto kExtremum = [](auto a, auto b) {
  using V = decltype(a);
  using Bits = BitsOf<V>;
  using T = ElementOfVector<V>;
  const Bits sign = (as_bits<Bits>(a) ^ as_bits<Bits>(b)) & kSignBit<T>;
  if constexpr (kXorSign) {
    a = as_bits<V>(as_bits<Bits>(a) & ~kSignBit<T>);
    b = as_bits<V>(as_bits<Bits>(b) & ~kSignBit<T>);
  }
  const auto negative = as_bits<Vector<Signed<T>, kElements<V>>>(a) < 0;
  auto first = kMaximum ? (a > b) | ((a == b) & ~negative) : (a < b) | ((a == b) & negative);
  first = kKeepNan ? first | (a != a) : first | (b != b);
  V result = first ? a : b;
  if constexpr (kXorSign) result = as_bits<V>(as_bits<Bits>(result) | sign);
  return result;
};

template <const auto& kFunction, typename T, bool kFtz>
void extremum(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  with_control<control_of(Rounding::rn, kFtz)>([&] {
    map_vectors<T, T, T>(registers, instruction, mask, [](auto a, auto b) {
      const auto result = canonical(kFunction(a, b));
      return kFtz ? flush(result) : result;
    });
  });
}

// Sign operations leave the payload of what is no number alone.
template <typename T, bool kFtz>
constexpr auto kAbs = [](auto a) {
  const auto b = kFtz ? flush(a) : a;
  return as_bits<decltype(a)>(as_bits<BitsOf<decltype(a)>>(b) & ~kSignBit<T>);
};
template <typename T, bool kFtz>
constexpr auto kNeg = [](auto a) {
  const auto b = kFtz ? flush(a) : a;
  return as_bits<decltype(a)>(as_bits<BitsOf<decltype(a)>>(b) ^ kSignBit<T>);
};
template <typename T>
constexpr auto kCopySign = [](auto a, auto b) {
  using Bits = BitsOf<decltype(a)>;
  return as_bits<decltype(a)>((as_bits<Bits>(a) & kSignBit<T>) | (as_bits<Bits>(b) & ~kSignBit<T>));
};

/// Zeros count as normal numbers, as the ISA says.
template <Mode kMode, typename V>
FLASHGATE_INLINE auto has_property(V v)
{
  using T = ElementOfVector<V>;
  const auto magnitude = as_bits<Vector<Signed<T>, kElements<V>>>(v) & static_cast<Signed<T>>(~kSignBit<T>);
  constexpr auto kInf = static_cast<Signed<T>>(kInfinity<T>);
  constexpr Signed<T> kSmallestNormal = sizeof(T) == 4 ? Signed<T>(1) << 23 : static_cast<Signed<T>>(s64{1} << 52);
  if constexpr (kMode == Mode::finite) return magnitude < kInf;
  if constexpr (kMode == Mode::infinite) return magnitude == kInf;
  if constexpr (kMode == Mode::number) return magnitude <= kInf;
  if constexpr (kMode == Mode::notanumber) return magnitude > kInf;
  const auto subnormal = (magnitude > 0) & (magnitude < kSmallestNormal);
  if constexpr (kMode == Mode::subnormal) return subnormal;
  if constexpr (kMode == Mode::normal) return (magnitude < kInf) & ~subnormal;
}

template <typename T, Mode kMode>
void test_property(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  constexpr int N = lanes_per_step<T>();
  const T* const a = registers.lanes<T>(instruction.slot[1]);
  LaneMask bits = 0;
  for (int first = 0; first < kLanes; first += N)
    bits |= lane_bits<Signed<T>, N>(has_property<kMode>(load<T, N>(a + first))) << first;
  set_predicate(registers, instruction, 0, bits, mask);
}

/// Two f32 in a 64-bit register.
template <const auto& kFunction>
constexpr auto kOnPairs = [](auto... v) {
  using Words = std::common_type_t<decltype(v)...>;
  using Floats = Vector<f32, sizeof(Words) / 4>;
  return as_bits<Words>(canonical(kFunction(as_bits<Floats>(v)...)));
};
template <const auto& kFunction, Rounding kRounding, bool kFtz, typename... S>
void pairs(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  with_control<control_of(kRounding, kFtz)>(
      [&] { map_vectors<u64, S...>(registers, instruction, mask, kOnPairs<kFunction>); });
}

template <Rounding kRounding, bool kFtz>
void list_f32(const FormSink& sink)
{
  const auto with = [&](Operation operation, bool saturated, Handler handler) {
    sink({.operation = operation, .type = Type::f32, .rounding = kRounding, .ftz = kFtz, .saturate = saturated},
         handler);
  };
  with(Operation::add, false, arithmetic<kAdd, f32, kRounding, kFtz, false, f32, f32>);
  with(Operation::add, true, arithmetic<kAdd, f32, kRounding, kFtz, true, f32, f32>);
  with(Operation::sub, false, arithmetic<kSub, f32, kRounding, kFtz, false, f32, f32>);
  with(Operation::sub, true, arithmetic<kSub, f32, kRounding, kFtz, true, f32, f32>);
  with(Operation::mul, false, arithmetic<kMul, f32, kRounding, kFtz, false, f32, f32>);
  with(Operation::mul, true, arithmetic<kMul, f32, kRounding, kFtz, true, f32, f32>);
  with(Operation::fma, false, fma_f32<kRounding, kFtz, false>());
  with(Operation::fma, true, fma_f32<kRounding, kFtz, true>());
  with(Operation::div, false, arithmetic<kDiv, f32, kRounding, kFtz, false, f32, f32>);
  with(Operation::sqrt, false, arithmetic<kSqrt, f32, kRounding, kFtz, false, f32>);
  with(Operation::rcp, false, arithmetic<kRcp, f32, kRounding, kFtz, false, f32>);
}

template <Rounding kRounding>
void list_f64(const FormSink& sink)
{
  const auto with = [&](Operation operation, Handler handler) {
    sink({.operation = operation, .type = Type::f64, .rounding = kRounding}, handler);
  };
  with(Operation::add, arithmetic<kAdd, f64, kRounding, false, false, f64, f64>);
  with(Operation::sub, arithmetic<kSub, f64, kRounding, false, false, f64, f64>);
  with(Operation::mul, arithmetic<kMul, f64, kRounding, false, false, f64, f64>);
  with(Operation::fma, arithmetic<kFma, f64, kRounding, false, false, f64, f64, f64>);
  with(Operation::div, arithmetic<kDiv, f64, kRounding, false, false, f64, f64>);
  with(Operation::sqrt, arithmetic<kSqrt, f64, kRounding, false, false, f64>);
  with(Operation::rcp, arithmetic<kRcp, f64, kRounding, false, false, f64>);
}

template <bool kFtz>
void list_f32_signs(const FormSink& sink)
{
  const auto with = [&](Operation operation, Handler handler) {
    sink({.operation = operation, .type = Type::f32, .ftz = kFtz}, handler);
  };
  with(Operation::abs, on_vectors<kAbs<f32, kFtz>, f32, f32>);
  with(Operation::neg, on_vectors<kNeg<f32, kFtz>, f32, f32>);
  sink({.operation = Operation::div, .type = Type::f32, .ftz = kFtz, .approximate = true},
       arithmetic<kDivApprox, f32, Rounding::rn, kFtz, false, f32, f32>);
  sink({.operation = Operation::div, .type = Type::f32, .ftz = kFtz, .full = true},
       arithmetic<kDiv, f32, Rounding::rn, kFtz, false, f32, f32>);
}

template <Type kType, bool kFtz, bool kKeepNan, bool kXorSign>
void list_extremum(const FormSink& sink)
{
  using T = Element<kType>;
  const auto with = [&](Operation operation, Handler handler) {
    sink({.operation = operation, .type = kType, .ftz = kFtz, .nan = kKeepNan, .xorsign_abs = kXorSign}, handler);
  };
  with(Operation::min, extremum<kExtremum<false, kKeepNan, kXorSign>, T, kFtz>);
  with(Operation::max, extremum<kExtremum<true, kKeepNan, kXorSign>, T, kFtz>);
}

template <Type kType>
void list_properties(const FormSink& sink)
{
  using T = Element<kType>;
  using enum Mode;
  sink({.operation = Operation::copysign, .type = kType}, on_vectors<kCopySign<T>, T, T, T>);
  for_each_value<finite, infinite, number, notanumber, normal, subnormal>([&]<Mode kMode>() {
    sink({.operation = Operation::testp, .type = kType, .mode = kMode}, test_property<T, kMode>);
  });
}

#if defined(__AVX2__)
template <Rounding kRounding, bool kFtz>
constexpr Handler fma_f32x2()
{
  return pairs<kFma, kRounding, kFtz, u64, u64, u64>;
}
#else
/// Pairs are two f32 instructions on halves of the slots here.
template <Rounding kRounding, bool kFtz>
void fma_pairs(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  alignas(64) u64 results[kLanes] = {};
  alignas(64) f32 operands[4][kLanes];
  Registers half{reinterpret_cast<std::byte*>(operands), nullptr};
  Instruction scalar{};
  scalar.slot = {0, sizeof(operands[0]), 2 * sizeof(operands[0]), 3 * sizeof(operands[0])};
  for (int part = 0; part < 2; ++part) {
    for (int k = 1; k < 4; ++k)
      for (int lane = 0; lane < kLanes; ++lane)
        operands[k][lane] = registers.lanes<f32>(instruction.slot[k])[2 * lane + part];
    fma_f32<kRounding, kFtz, false>()(half, scalar, kAllLanes);
    for (int lane = 0; lane < kLanes; ++lane)
      results[lane] |= u64{as_bits<u32>(operands[0][lane])} << 32 * part;
  }
  store_all(registers.lanes<u64>(instruction.slot[0]), results, mask);
}
template <Rounding kRounding, bool kFtz>
constexpr Handler fma_f32x2()
{
  return fma_pairs<kRounding, kFtz>;
}
#endif

template <Rounding kRounding, bool kFtz>
void list_pairs(const FormSink& sink)
{
  const auto with = [&](Operation operation, Handler handler) {
    sink({.operation = operation, .type = Type::f32x2, .rounding = kRounding, .ftz = kFtz}, handler);
  };
  with(Operation::add, pairs<kAdd, kRounding, kFtz, u64, u64>);
  with(Operation::sub, pairs<kSub, kRounding, kFtz, u64, u64>);
  with(Operation::mul, pairs<kMul, kRounding, kFtz, u64, u64>);
  with(Operation::fma, fma_f32x2<kRounding, kFtz>());
}

}  // namespace

void list_floating(const FormSink& sink)
{
  for_each_value<Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp>([&]<Rounding kRounding>() {
    list_f32<kRounding, false>(sink);
    list_f32<kRounding, true>(sink);
    list_f64<kRounding>(sink);
    list_pairs<kRounding, false>(sink);
    list_pairs<kRounding, true>(sink);
  });
  list_f32_signs<false>(sink);
  list_f32_signs<true>(sink);
  sink({.operation = Operation::abs, .type = Type::f64}, on_vectors<kAbs<f64, false>, f64, f64>);
  sink({.operation = Operation::neg, .type = Type::f64}, on_vectors<kNeg<f64, false>, f64, f64>);
  list_extremum<Type::f64, false, false, false>(sink);
  for_each_value<false, true>([&]<bool kFtz>() {
    list_extremum<Type::f32, kFtz, false, false>(sink);
    list_extremum<Type::f32, kFtz, true, false>(sink);
    list_extremum<Type::f32, kFtz, false, true>(sink);
    list_extremum<Type::f32, kFtz, true, true>(sink);
  });
  list_properties<Type::f32>(sink);
  list_properties<Type::f64>(sink);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
