// Arithmetic of f16, f16x2, bf16 and bf16x2: PTX ISA, "Half Precision Floating Point Instructions". Values are widened
// to f32, where sums and products of two are exact enough to be rounded once more; fma goes through f64.
#include "gpu/emulator/isa/lanes/comparison.h"
#include "gpu/emulator/isa/lanes/half_format.h"
#include "gpu/emulator/isa/lanes/special.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

/// Modifiers of a half precision instruction.
struct Modifiers
{
  bool ftz = false;
  bool saturate = false;
  bool relu = false;
};

template <typename Format>
FLASHGATE_INLINE Halves flush_half(Halves h)
{
  return (h & Format::kExponent) == 0 ? h & 0x8000 : h;
}

template <typename Format, Modifiers kModifiers>
FLASHGATE_INLINE Floats fetch(const u16* from)
{
  const Halves h = load<u16, kSteps>(from);
  return Format::widen(kModifiers.ftz ? flush_half<Format>(h) : h);
}

template <typename Format, Modifiers kModifiers>
FLASHGATE_INLINE Halves finish(Floats v)
{
  if constexpr (kModifiers.saturate) v = saturate(v);
  if constexpr (kModifiers.relu) v = rectify(v);
  const Halves h = Format::narrow(v);
  return kModifiers.ftz ? flush_half<Format>(h) : h;
}

/// T is u16 for a scalar register, u32 for a packed one, which then is 64 halves in a row.
template <typename T>
inline constexpr int kHalves = kLanes * sizeof(T) / sizeof(u16);

template <typename T>
FLASHGATE_INLINE void store_halves(const Registers& registers, const Instruction& instruction, const u16* results,
                                   LaneMask mask)
{
  alignas(64) T words[kLanes];
  __builtin_memcpy(words, results, sizeof(words));
  store_all(registers.lanes<T>(instruction.slot[0]), words, mask);
}

template <const auto& kFunction, typename Format, typename T, Modifiers kModifiers, int kSources>
void arithmetic(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const u16* const a = registers.lanes<u16>(instruction.slot[1]);
  const u16* const b = registers.lanes<u16>(instruction.slot[kSources]);
  alignas(64) u16 results[kHalves<T>];
  FLASHGATE_UNROLL
  for (int k = 0; k < kHalves<T>; k += kSteps) {
    if constexpr (kSources == 1)
      store(results + k, finish<Format, kModifiers>(kFunction(fetch<Format, kModifiers>(a + k))));
    else
      store(results + k,
            finish<Format, kModifiers>(kFunction(fetch<Format, kModifiers>(a + k), fetch<Format, kModifiers>(b + k))));
  }
  store_halves<T>(registers, instruction, results, mask);
}

constexpr auto kAdd = [](Floats a, Floats b) { return a + b; };
constexpr auto kSub = [](Floats a, Floats b) { return a - b; };
constexpr auto kMul = [](Floats a, Floats b) { return a * b; };
constexpr auto kEx2 = [](Floats a) { return power_of_two(a); };
constexpr auto kTanh = [](Floats a) { return hyperbolic_tangent(a); };

template <typename Format, typename T, Modifiers kModifiers>
void fused_multiply_add(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  alignas(64) f32 sources[3][kHalves<T>];
  for (int source = 0; source < 3; ++source) {
    const u16* const from = registers.lanes<u16>(instruction.slot[1 + source]);
    for (int k = 0; k < kHalves<T>; k += kSteps)
      store(sources[source] + k, fetch<Format, kModifiers>(from + k));
  }
  alignas(64) u16 results[kHalves<T>];
  for (int k = 0; k < kHalves<T>; ++k) {
    const f64 product = f64{sources[0][k]} * sources[1][k];
    f64 sum = odd_sum(Vector<f64, 2>{product, 0}, Vector<f64, 2>{sources[2][k], 0})[0];
    if (kModifiers.saturate) sum = sum > 0 ? (sum < 1 ? sum : 1) : 0;
    if (kModifiers.relu) sum = sum <= 0 ? 0 : sum;
    results[k] = narrow_odd<Format>(sum);
  }
  for (int k = 0; kModifiers.ftz && k < kHalves<T>; k += kSteps)
    store(results + k, flush_half<Format>(load<u16, kSteps>(results + k)));
  store_halves<T>(registers, instruction, results, mask);
}

template <bool kMaximum, bool kKeepNan, bool kXorSign>
constexpr auto kExtremum = [](Floats a, Floats b) {
  const Words sign = (as_bits<Words>(a) ^ as_bits<Words>(b)) & 0x8000'0000;
  if constexpr (kXorSign) {
    a = as_bits<Floats>(as_bits<Words>(a) & 0x7FFF'FFFF);
    b = as_bits<Floats>(as_bits<Words>(b) & 0x7FFF'FFFF);
  }
  const auto negative = as_bits<Vector<s32, kSteps>>(a) < 0;
  auto first = kMaximum ? (a > b) | ((a == b) & ~negative) : (a < b) | ((a == b) & negative);
  first = kKeepNan ? first | (a != a) : first | (b != b);
  const Floats result = first ? a : b;
  return kXorSign ? as_bits<Floats>(as_bits<Words>(result) | sign) : result;
};

/// abs and neg work on the bits.
template <typename Format, typename T, bool kFtz, bool kNegate>
void change_sign(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const u16* const a = registers.lanes<u16>(instruction.slot[1]);
  alignas(64) u16 results[kHalves<T>];
  for (int k = 0; k < kHalves<T>; k += kSteps) {
    const Halves loaded = load<u16, kSteps>(a + k);
    const Halves h = kFtz ? flush_half<Format>(loaded) : loaded;
    store(results + k, kNegate ? h ^ 0x8000 : h & 0x7FFF);
  }
  store_halves<T>(registers, instruction, results, mask);
}

/// The types of one format, and what goes with them.
template <typename F, typename T, Type kName>
struct Kind
{
  using Format = F;
  using Register = T;
  static constexpr Type kType = kName;
};

template <typename K, Modifiers kModifiers>
Form form_of(Operation operation)
{
  return {.operation = operation,
          .type = K::kType,
          .ftz = kModifiers.ftz,
          .saturate = kModifiers.saturate,
          .relu = kModifiers.relu};
}

template <typename K, Modifiers kModifiers>
void list_arithmetic(const FormSink& sink)
{
  using T = typename K::Register;
  using Format = typename K::Format;
  const auto with = [&](Operation operation, Handler handler) {
    Form form = form_of<K, kModifiers>(operation);
    form.rounding = Rounding::rn;
    sink(form, handler);
  };
  with(Operation::add, arithmetic<kAdd, Format, T, kModifiers, 2>);
  with(Operation::sub, arithmetic<kSub, Format, T, kModifiers, 2>);
  with(Operation::mul, arithmetic<kMul, Format, T, kModifiers, 2>);
}

template <typename K, Modifiers kModifiers>
void list_fma(const FormSink& sink)
{
  Form form = form_of<K, kModifiers>(Operation::fma);
  form.rounding = Rounding::rn;
  sink(form, fused_multiply_add<typename K::Format, typename K::Register, kModifiers>);
}

template <typename K, bool kFtz, bool kKeepNan, bool kXorSign>
void list_extremum(const FormSink& sink)
{
  using T = typename K::Register;
  using Format = typename K::Format;
  const auto with = [&](Operation operation, Handler handler) {
    Form form = form_of<K, Modifiers{.ftz = kFtz}>(operation);
    form.nan = kKeepNan;
    form.xorsign_abs = kXorSign;
    sink(form, handler);
  };
  with(Operation::min, arithmetic<kExtremum<false, kKeepNan, kXorSign>, Format, T, Modifiers{.ftz = kFtz}, 2>);
  with(Operation::max, arithmetic<kExtremum<true, kKeepNan, kXorSign>, Format, T, Modifiers{.ftz = kFtz}, 2>);
}

template <typename K, bool kFtz>
void list_simple(const FormSink& sink)
{
  using T = typename K::Register;
  using Format = typename K::Format;
  sink(form_of<K, Modifiers{.ftz = kFtz}>(Operation::abs), change_sign<Format, T, kFtz, false>);
  sink(form_of<K, Modifiers{.ftz = kFtz}>(Operation::neg), change_sign<Format, T, kFtz, true>);
  list_extremum<K, kFtz, false, false>(sink);
  list_extremum<K, kFtz, true, false>(sink);
  list_extremum<K, kFtz, false, true>(sink);
  list_extremum<K, kFtz, true, true>(sink);
}

template <typename K, bool kFtz>
void list_ex2(const FormSink& sink)
{
  Form form = form_of<K, Modifiers{.ftz = kFtz}>(Operation::ex2);
  form.approximate = true;
  sink(form, arithmetic<kEx2, typename K::Format, typename K::Register, Modifiers{.ftz = kFtz}, 1>);
}

template <typename K>
void list_tanh(const FormSink& sink)
{
  Form form = form_of<K, Modifiers{}>(Operation::tanh);
  form.approximate = true;
  sink(form, arithmetic<kTanh, typename K::Format, typename K::Register, Modifiers{}, 1>);
}

template <typename K>
void list_f16(const FormSink& sink)
{
  list_arithmetic<K, Modifiers{}>(sink);
  list_arithmetic<K, Modifiers{.ftz = true}>(sink);
  list_arithmetic<K, Modifiers{.saturate = true}>(sink);
  list_arithmetic<K, Modifiers{.ftz = true, .saturate = true}>(sink);
  list_fma<K, Modifiers{}>(sink);
  list_fma<K, Modifiers{.ftz = true}>(sink);
  list_fma<K, Modifiers{.saturate = true}>(sink);
  list_fma<K, Modifiers{.ftz = true, .saturate = true}>(sink);
  list_fma<K, Modifiers{.relu = true}>(sink);
  list_fma<K, Modifiers{.ftz = true, .relu = true}>(sink);
  list_simple<K, false>(sink);
  list_simple<K, true>(sink);
  list_ex2<K, false>(sink);
  list_tanh<K>(sink);
}

template <typename K>
void list_bf16(const FormSink& sink)
{
  list_arithmetic<K, Modifiers{}>(sink);
  list_fma<K, Modifiers{}>(sink);
  list_fma<K, Modifiers{.relu = true}>(sink);
  list_simple<K, false>(sink);
  list_ex2<K, true>(sink);
  list_tanh<K>(sink);
}

}  // namespace

void list_half(const FormSink& sink)
{
  list_f16<Kind<F16, u16, Type::f16>>(sink);
  list_f16<Kind<F16, u32, Type::f16x2>>(sink);
  list_bf16<Kind<Bf16, u16, Type::bf16>>(sink);
  list_bf16<Kind<Bf16, u32, Type::bf16x2>>(sink);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
