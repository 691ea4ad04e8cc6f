// Conversions between integers, and from and to f32 and f64: PTX ISA, "cvt". Those to halves are in convert_half.cpp.
#include "gpu/emulator/isa/lanes/convert.h"

#include "gpu/emulator/isa/lanes/comparison.h"
#include "gpu/emulator/isa/lanes/convert_source.h"
#include "gpu/emulator/isa/lanes/resize.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

struct Options
{
  Rounding rounding = Rounding::none;
  bool ftz = false;
  bool saturate = false;
};

template <typename D, typename S>
FLASHGATE_INLINE D saturated(S value)
{
  if (kIsSigned<S> && value < S(0)) {
    const s64 v = static_cast<s64>(value);
    return static_cast<D>(v < kLowest<D> ? kLowest<D> : v);
  }
  const u64 v = static_cast<u64>(value);
  return static_cast<D>(v > kHighest<D> ? kHighest<D> : v);
}

template <Type kType, Type kSource, Options kOptions>
void integers(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  using D = typename Held<kType>::Element;
  using S = typename Held<kSource>::Element;
  map_scalars<RegisterOf<kType>, RegisterOf<kSource>>(registers, instruction, mask, [](RegisterOf<kSource> held) {
    const S value = static_cast<S>(held);
    if constexpr (kOptions.saturate) return static_cast<RegisterOf<kType>>(saturated<D>(value));
    return static_cast<RegisterOf<kType>>(static_cast<D>(value));
  });
}

template <Type kType, Type kSource, Options kOptions>
void float_to_integer(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  using D = typename Held<kType>::Element;
  alignas(64) f64 exact[kLanes];
  alignas(64) RegisterOf<kType> results[kLanes];
  make_visible(exact, results);
  fetch_f64<kSource, kOptions.ftz>(registers, instruction, 1, exact);
  with_control<control_of(kOptions.rounding, false)>([&] {
    for (int lane = 0; lane < kLanes; ++lane)
      results[lane] = static_cast<RegisterOf<kType>>(to_integer<D, kSource == Type::f64>(exact[lane]));
  });
  store_all(registers.lanes<RegisterOf<kType>>(instruction.slot[0]), results, mask);
}

#if defined(__AVX512F__)
FLASHGATE_INLINE Vector<s32, 16> nearest_s32(Floats v) { return as_bits<Vector<s32, 16>>(_mm512_cvtps_epi32(v)); }
#elif defined(__AVX2__)
FLASHGATE_INLINE Vector<s32, 8> nearest_s32(Floats v) { return as_bits<Vector<s32, 8>>(_mm256_cvtps_epi32(v)); }
#else
FLASHGATE_INLINE Vector<s32, 4> nearest_s32(Floats v) { return as_bits<Vector<s32, 4>>(_mm_cvtps_epi32(v)); }
#endif

/// The frequent one: the processor's conversion gives INT_MIN for all that is out of range.
template <Options kOptions>
void f32_to_s32(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  with_control<control_of(kOptions.rounding, kOptions.ftz)>([&] {
    map_vectors<s32, f32>(registers, instruction, mask, [](Floats v) {
      auto n = nearest_s32(v);
      n = v >= 0x1p31f ? decltype(n){} + 0x7FFF'FFFF : n;
      return v != v ? decltype(n){} : n;
    });
  });
}

/// T is f32 or f64. Through s64, since compilers turn u32 into floats in a way that only holds for round to nearest.
template <Type kType, Type kSource, Options kOptions>
void integer_to_float(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  using T = Element<kType>;
  using S = typename Held<kSource>::Element;
  with_control<control_of(kOptions.rounding, false)>([&] {
    map_scalars<T, RegisterOf<kSource>>(registers, instruction, mask, [](RegisterOf<kSource> held) {
      const S value = static_cast<S>(held);
      T result =
          sizeof(S) < 8 && kSource != Type::s32 ? static_cast<T>(static_cast<s64>(value)) : static_cast<T>(value);
      if (kOptions.saturate) result = result > 0 ? (result < 1 ? result : 1) : 0;
      return result;
    });
  });
}

template <typename T, bool kSaturate>
FLASHGATE_INLINE T finished(T x)
{
  if (kSaturate) return x > 0 ? (x < 1 ? x : 1) : 0;
  return x != x ? as_bits<T>(kNan<T>) : x;
}

/// Between floating types, to f32 or f64, rounded to the type or (.rni and the like) to an integer.
template <Type kType, Type kSource, Options kOptions>
void floats(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  using T = Element<kType>;
  constexpr bool kIntegral = kOptions.rounding >= Rounding::rni;
  alignas(64) f64 exact[kLanes];
  alignas(64) T results[kLanes];
  make_visible(exact, results);
  fetch_f64<kSource, kOptions.ftz>(registers, instruction, 1, exact);
  with_control<control_of(kOptions.rounding, kOptions.ftz)>([&] {
    for (int lane = 0; lane < kLanes; ++lane) {
      const f64 value = kIntegral ? to_integral(exact[lane]) : exact[lane];
      results[lane] = finished<T, kOptions.saturate>(static_cast<T>(value));
    }
  });
  store_all(registers.lanes<T>(instruction.slot[0]), results, mask);
}

/// The frequent ones: f16 or bf16 to f32.
template <typename Format>
void half_to_f32(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  map_vectors<f32, u16>(registers, instruction, mask, [](Halves h) { return canonical(Format::widen(h)); });
}

template <Type kType, Type kSource, Options kOptions>
void list_one(const FormSink& sink, Handler handler)
{
  sink({.operation = Operation::cvt,
        .type = kType,
        .other = kSource,
        .rounding = kOptions.rounding,
        .ftz = kOptions.ftz,
        .saturate = kOptions.saturate},
       handler);
}

template <Type kType, Type kSource>
void list_integers(const FormSink& sink)
{
  const auto with = [&]<Options kOptions>() {
    constexpr Handler kHandler = integers<kType, kSource, kOptions>;
    list_one<kType, kSource, kOptions>(sink, kHandler);
    list_resized<kType, kSource, kHandler>(
        sink, {.operation = Operation::cvt, .type = kType, .other = kSource, .saturate = kOptions.saturate});
  };
  with.template operator()<Options{}>();
  with.template operator()<Options{.saturate = true}>();
}

template <Type kType, Type kSource, Options kOptions>
void list_float_to_integer_as(const FormSink& sink)
{
  Handler handler = float_to_integer<kType, kSource, kOptions>;
  if constexpr (kType == Type::s32 && kSource == Type::f32) handler = f32_to_s32<kOptions>;
  // Out of range values are limited in any case, so .sat changes nothing.
  list_one<kType, kSource, kOptions>(sink, handler);
  list_one<kType, kSource, Options{kOptions.rounding, kOptions.ftz, true}>(sink, handler);
  if constexpr (sizeof(RegisterOf<kType>) == 2) {
    constexpr Handler kInner = float_to_integer<kType, kSource, kOptions>;
    list_resized_destination<kType, kSource, kInner>(sink, {.operation = Operation::cvt,
                                                            .type = kType,
                                                            .other = kSource,
                                                            .rounding = kOptions.rounding,
                                                            .ftz = kOptions.ftz});
  }
}

template <Type kType>
void list_float_to_integer(const FormSink& sink)
{
  using enum Type;
  for_each_value<Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi>([&]<Rounding kRounding>() {
    list_float_to_integer_as<kType, f32, Options{.rounding = kRounding, .ftz = true}>(sink);
    for_each_value<f16, bf16, f32, f64>(
        [&]<Type kSource>() { list_float_to_integer_as<kType, kSource, Options{.rounding = kRounding}>(sink); });
  });
}

template <Type kType, Type kSource, Options kOptions>
void list_integer_to_float_as(const FormSink& sink)
{
  constexpr Handler kHandler = integer_to_float<kType, kSource, kOptions>;
  list_one<kType, kSource, kOptions>(sink, kHandler);
  // .ftz is allowed and has nothing to flush.
  if constexpr (kType == Type::f32)
    list_one<kType, kSource, Options{kOptions.rounding, true, kOptions.saturate}>(sink, kHandler);
  if constexpr (sizeof(RegisterOf<kSource>) == 2 && !kOptions.saturate)
    list_resized_source<kType, kSource, kHandler>(
        sink, {.operation = Operation::cvt, .type = kType, .other = kSource, .rounding = kOptions.rounding});
}

template <Type kSource>
void list_integer_to_float(const FormSink& sink)
{
  for_each_value<Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp>([&]<Rounding kRounding>() {
    list_integer_to_float_as<Type::f32, kSource, Options{.rounding = kRounding}>(sink);
    list_integer_to_float_as<Type::f64, kSource, Options{.rounding = kRounding}>(sink);
    list_integer_to_float_as<Type::f32, kSource, Options{.rounding = kRounding, .saturate = true}>(sink);
    list_integer_to_float_as<Type::f64, kSource, Options{.rounding = kRounding, .saturate = true}>(sink);
  });
}

template <Type kType, Type kSource, Rounding kRounding>
void list_floats_as(const FormSink& sink)
{
  const auto with = [&]<Options kOptions>() {
    list_one<kType, kSource, kOptions>(sink, floats<kType, kSource, kOptions>);
  };
  with.template operator()<Options{.rounding = kRounding}>();
  with.template operator()<Options{.rounding = kRounding, .saturate = true}>();
  if constexpr (kType == Type::f32 || kSource == Type::f32) {
    with.template operator()<Options{.rounding = kRounding, .ftz = true}>();
    with.template operator()<Options{.rounding = kRounding, .ftz = true, .saturate = true}>();
  }
}

void list_floats(const FormSink& sink)
{
  using enum Type;
  for_each_value<Rounding::none, Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi>([&]<Rounding kRounding>() {
    list_floats_as<f32, f32, kRounding>(sink);
    list_floats_as<f64, f64, kRounding>(sink);
  });
  for_each_value<Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp>(
      [&]<Rounding kRounding>() { list_floats_as<f32, f64, kRounding>(sink); });
  list_floats_as<f64, f32, Rounding::none>(sink);
  for_each_value<f16, bf16>([&]<Type kSource>() {
    using Format = typename Held<kSource>::Element;
    list_one<f32, kSource, Options{}>(sink, half_to_f32<Format>);
    list_one<f32, kSource, Options{.ftz = true}>(sink, floats<f32, kSource, Options{.ftz = true}>);
    list_one<f32, kSource, Options{.saturate = true}>(sink, floats<f32, kSource, Options{.saturate = true}>);
    list_one<f64, kSource, Options{}>(sink, floats<f64, kSource, Options{}>);
    list_one<f64, kSource, Options{.saturate = true}>(sink, floats<f64, kSource, Options{.saturate = true}>);
  });
}

}  // namespace

void list_convert(const FormSink& sink)
{
  using enum Type;
  for_each_value<u8, s8, u16, s16, u32, s32, u64, s64>([&]<Type kType>() {
    for_each_value<u8, s8, u16, s16, u32, s32, u64, s64>([&]<Type kSource>() { list_integers<kType, kSource>(sink); });
    list_float_to_integer<kType>(sink);
    list_integer_to_float<kType>(sink);
  });
  list_floats(sink);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
