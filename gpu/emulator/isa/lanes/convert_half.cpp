// Conversions to f16, bf16, f16x2, bf16x2 and tf32: PTX ISA, "cvt".
#include "gpu/emulator/isa/lanes/comparison.h"
#include "gpu/emulator/isa/lanes/convert_source.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

struct Modifiers
{
  bool ftz = false;
  bool saturate = false;
  bool relu = false;
  bool satfinite = false;
};

template <Modifiers kModifiers>
FLASHGATE_INLINE f64 clamp(f64 x)
{
  if (kModifiers.saturate) return x > 0 ? (x < 1 ? x : 1) : 0;
  if (kModifiers.relu) return x <= 0 ? 0 : x;
  return x;
}

/// Source k, rounded to the format, as f32.
template <typename Format, Type kSource, Rounding kRounding, Modifiers kModifiers>
FLASHGATE_INLINE void round_source(const Registers& registers, const Instruction& instruction, int k, f32* values)
{
  alignas(64) f64 exact[kLanes];
  make_visible(exact, values);
  fetch_f64<kSource, kModifiers.ftz>(registers, instruction, k, exact);
  with_control<control_of(kRounding, false)>([&] {
    for (int lane = 0; lane < kLanes; ++lane)
      values[lane] = to_format<Format, kRounding, kModifiers.satfinite>(clamp<kModifiers>(exact[lane]));
  });
}

template <typename Format, Type kSource, Rounding kRounding, Modifiers kModifiers>
void to_half(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  alignas(64) f32 values[kLanes];
  round_source<Format, kSource, kRounding, kModifiers>(registers, instruction, 1, values);
  store_exact<Format>(registers, instruction.slot[0], values, mask);
}

/// The frequent one: f32, to nearest, nothing or .relu.
template <typename Format, bool kRelu>
void nearest_half(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const f32* const a = registers.lanes<f32>(instruction.slot[1]);
  alignas(64) u16 results[kLanes];
  FLASHGATE_UNROLL
  for (int first = 0; first < kLanes; first += kSteps) {
    const Floats v = load<f32, kSteps>(a + first);
    store(results + first, Format::narrow(kRelu ? rectify(v) : v));
  }
  store_all(registers.lanes<u16>(instruction.slot[0]), results, mask);
}

/// a goes to the upper half.
template <typename Format, bool kRelu>
void nearest_pair(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const f32* const a = registers.lanes<f32>(instruction.slot[1]);
  const f32* const b = registers.lanes<f32>(instruction.slot[2]);
  u32* const d = registers.lanes<u32>(instruction.slot[0]);
  FLASHGATE_UNROLL
  for (int first = 0; first < kLanes; first += kSteps) {
    const Floats upper = load<f32, kSteps>(a + first);
    const Floats lower = load<f32, kSteps>(b + first);
    const Words u = Format::narrow_words(kRelu ? rectify(upper) : upper);
    const Words l = Format::narrow_words(kRelu ? rectify(lower) : lower);
    store_lanes<kSteps>(d, first, u << 16 | l, mask);
  }
}

template <typename Format, Rounding kRounding, Modifiers kModifiers>
void to_pair(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  alignas(64) f32 upper[kLanes];
  alignas(64) f32 lower[kLanes];
  round_source<Format, Type::f32, kRounding, kModifiers>(registers, instruction, 1, upper);
  round_source<Format, Type::f32, kRounding, kModifiers>(registers, instruction, 2, lower);
  alignas(64) u32 results[kLanes];
  for (int first = 0; first < kLanes; first += kSteps) {
    const Words u = Format::narrow_words(load<f32, kSteps>(upper + first));
    const Words l = Format::narrow_words(load<f32, kSteps>(lower + first));
    store(results + first, u << 16 | l);
  }
  store_all(registers.lanes<u32>(instruction.slot[0]), results, mask);
}

template <Type kType, Rounding kRounding, bool kSaturate>
void to_integral_half(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  alignas(64) f64 exact[kLanes];
  alignas(64) f32 values[kLanes];
  make_visible(exact, values);
  fetch_f64<kType, false>(registers, instruction, 1, exact);
  with_control<control_of(kRounding, false)>([&] {
    for (int lane = 0; lane < kLanes; ++lane)
      values[lane] = static_cast<f32>(clamp<Modifiers{.saturate = kSaturate}>(to_integral(exact[lane])));
  });
  store_exact<typename Held<kType>::Element>(registers, instruction.slot[0], values, mask);
}

template <Rounding kRounding, Modifiers kModifiers>
void to_tf32(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  alignas(64) f32 values[kLanes];
  round_source<Tf32, Type::f32, kRounding, kModifiers>(registers, instruction, 1, values);
  store_all(registers.lanes<f32>(instruction.slot[0]), values, mask);
}

/// Ties go away from zero: half a unit is added to the bits, which may carry into the exponent and up to infinity.
template <bool kSatFinite>
void nearest_away_tf32(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  map_scalars<u32, u32>(registers, instruction, mask, [](u32 bits) {
    const u32 magnitude = bits & 0x7FFF'FFFF;
    if (magnitude > 0x7F80'0000) return u32{0x7FFF'FFFF};
    const u32 rounded = magnitude == 0x7F80'0000 ? magnitude : (magnitude + 0x1000) & ~u32{0x1FFF};
    const u32 finite = kSatFinite && rounded >= 0x7F80'0000 ? 0x7F7F'E000 : rounded;
    return finite | (bits & 0x8000'0000);
  });
}

template <Type kType, Type kSource, Rounding kRounding, Modifiers kModifiers>
void list_one(const FormSink& sink, Handler handler)
{
  sink({.operation = Operation::cvt,
        .type = kType,
        .other = kSource,
        .rounding = kRounding,
        .ftz = kModifiers.ftz,
        .saturate = kModifiers.saturate,
        .satfinite = kModifiers.satfinite,
        .relu = kModifiers.relu},
       handler);
}

template <Type kType, Type kSource, Rounding kRounding, Modifiers kModifiers>
void list_half_of(const FormSink& sink)
{
  using Format = typename Held<kType>::Element;
  // A subnormal f32 rounds to zero in f16, flushed or not; in bf16 it does not.
  constexpr bool kFtzMatters = kModifiers.ftz && kType == Type::bf16;
  if constexpr (kSource == Type::f32 && kRounding == Rounding::rn && !kModifiers.saturate && !kModifiers.satfinite &&
                !kFtzMatters)
    list_one<kType, kSource, kRounding, kModifiers>(sink, nearest_half<Format, kModifiers.relu>);
  else
    list_one<kType, kSource, kRounding, kModifiers>(sink, to_half<Format, kSource, kRounding, kModifiers>);
}

template <Type kType, Rounding kRounding, Modifiers kModifiers>
void list_pair_of(const FormSink& sink)
{
  using Format = typename Held<kType == Type::f16x2 ? Type::f16 : Type::bf16>::Element;
  if constexpr (kRounding == Rounding::rn && !kModifiers.satfinite)
    list_one<kType, Type::f32, kRounding, kModifiers>(sink, nearest_pair<Format, kModifiers.relu>);
  else
    list_one<kType, Type::f32, kRounding, kModifiers>(sink, to_pair<Format, kRounding, kModifiers>);
}

template <Type kType, Rounding kRounding>
void list_from_f32(const FormSink& sink)
{
  constexpr Type kPair = kType == Type::f16 ? Type::f16x2 : Type::bf16x2;
  list_half_of<kType, Type::f32, kRounding, Modifiers{}>(sink);
  list_half_of<kType, Type::f32, kRounding, Modifiers{.ftz = true}>(sink);
  list_half_of<kType, Type::f32, kRounding, Modifiers{.saturate = true}>(sink);
  list_half_of<kType, Type::f32, kRounding, Modifiers{.relu = true}>(sink);
  list_half_of<kType, Type::f32, kRounding, Modifiers{.satfinite = true}>(sink);
  list_half_of<kType, Type::f32, kRounding, Modifiers{.relu = true, .satfinite = true}>(sink);
  list_pair_of<kPair, kRounding, Modifiers{}>(sink);
  list_pair_of<kPair, kRounding, Modifiers{.relu = true}>(sink);
  list_pair_of<kPair, kRounding, Modifiers{.satfinite = true}>(sink);
  list_pair_of<kPair, kRounding, Modifiers{.relu = true, .satfinite = true}>(sink);
}

template <Type kType, Rounding kRounding>
void list_directions(const FormSink& sink)
{
  using enum Type;
  list_from_f32<kType, kRounding>(sink);
  for_each_value<f64, u8, s8, u16, s16, u32, s32, u64, s64, kType == f16 ? bf16 : f16>(
      [&]<Type kSource>() { list_half_of<kType, kSource, kRounding, Modifiers{}>(sink); });
  list_half_of<kType, f64, kRounding, Modifiers{.saturate = true}>(sink);
}

template <Type kType>
void list_integral(const FormSink& sink)
{
  using Format = typename Held<kType>::Element;
  for_each_value<Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi>([&]<Rounding kRounding>() {
    list_one<kType, kType, kRounding, Modifiers{}>(sink, to_integral_half<kType, kRounding, false>);
    list_one<kType, kType, kRounding, Modifiers{.saturate = true}>(sink, to_integral_half<kType, kRounding, true>);
  });
  list_one<kType, kType, Rounding::none, Modifiers{}>(sink, to_half<Format, kType, Rounding::rn, Modifiers{}>);
  list_one<kType, kType, Rounding::none, Modifiers{.saturate = true}>(
      sink, to_half<Format, kType, Rounding::rn, Modifiers{.saturate = true}>);
}

template <Rounding kRounding>
void list_tf32(const FormSink& sink)
{
  const auto with = [&]<Modifiers kModifiers>() {
    list_one<Type::tf32, Type::f32, kRounding, kModifiers>(sink, to_tf32<kRounding, kModifiers>);
  };
  with.template operator()<Modifiers{}>();
  with.template operator()<Modifiers{.relu = true}>();
  with.template operator()<Modifiers{.satfinite = true}>();
  with.template operator()<Modifiers{.relu = true, .satfinite = true}>();
}

}  // namespace

void list_convert_half(const FormSink& sink)
{
  for_each_value<Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp>([&]<Rounding kRounding>() {
    list_directions<Type::f16, kRounding>(sink);
    list_directions<Type::bf16, kRounding>(sink);
  });
  list_integral<Type::f16>(sink);
  list_integral<Type::bf16>(sink);
  list_tf32<Rounding::rn>(sink);
  list_tf32<Rounding::rz>(sink);
  list_one<Type::tf32, Type::f32, Rounding::rna, Modifiers{}>(sink, nearest_away_tf32<false>);
  list_one<Type::tf32, Type::f32, Rounding::rna, Modifiers{.satfinite = true}>(sink, nearest_away_tf32<true>);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
