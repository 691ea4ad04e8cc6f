// Approximate functions of f32: PTX ISA, "Floating Point Instructions", those with .approx. The ISA bounds their error
// and fixes special values; within that, these are polynomials of our own, made of single multiplications and additions
// so that every core gives the same bits. tests/gpu/emulator/isa compares them with the bounds.
#include "gpu/emulator/isa/lanes/special.h"

#include "gpu/emulator/isa/lanes/comparison.h"
#include "gpu/emulator/isa/lanes/float_mode.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

constexpr auto kEx2 = [](auto a) { return power_of_two(a); };
constexpr auto kEx2Flushed = [](auto a) { return power_of_two_flushed(a); };
constexpr auto kLg2 = [](auto a) { return logarithm(a); };
constexpr auto kTanh = [](auto a) { return hyperbolic_tangent(a); };
constexpr auto kRcp = [](auto a) { return (decltype(a){} + 1) / a; };
constexpr auto kSqrt = [](auto a) { return square_root(a); };
constexpr auto kRsqrt = [](auto a) { return (decltype(a){} + 1) / square_root(a); };

template <const auto& kFunction, bool kFtz>
void approximate(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  with_control<control_of(Rounding::rn, kFtz)>(
      [&] { map_vectors<f32, f32>(registers, instruction, mask, [](auto a) { return canonical(kFunction(a)); }); });
}

/// Frequent in attention. A subnormal operand gives 1 without being flushed, so the mode need not change.
void ex2_flushed(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  map_vectors<f32, f32>(registers, instruction, mask, kEx2Flushed);
}

// Sine and cosine are rare in the kernels this is for, so they go through f64, one element at a time.

/// Taylor polynomials for |x| <= pi / 4: the first term left out is below 2^-30.
constexpr auto kSinNearZero = [](f64 x) {
  const f64 s = x * x;
  return x * (1 + s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880)))));
};
constexpr auto kCosNearZero = [](f64 x) {
  const f64 s = x * x;
  return 1 + s * (-0.5 + s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320 - s * (1.0 / 3628800)))));
};

/// sin(x + quarters * pi / 2). The ISA bounds the error for |x| <= pi only; beyond 2^40 an f64 has no fraction of a
/// turn left that would mean anything, and x counts as 0.
constexpr auto kSinusoid = [](f32 a, s64 quarters) {
  const f64 x = a;
  if (!(x - x == 0)) return as_bits<f32>(kNan<f32>);
  const f64 bounded = x < 0x1p40 && x > -0x1p40 ? x : 0;
  const f64 turns = bounded * 0.63661977236758134308;
  const s64 n = static_cast<s64>(turns + (turns < 0 ? -0.5 : 0.5));
  const f64 r = (bounded - static_cast<f64>(n) * 0x1.921FB54442D18p0) - static_cast<f64>(n) * 0x1.1A62633145C07p-54;
  const s64 quadrant = (n + quarters) & 3;
  const f64 value = quadrant & 1 ? kCosNearZero(r) : kSinNearZero(r);
  return static_cast<f32>(quadrant & 2 ? -value : value);
};
constexpr auto kSin = [](f32 a) { return kSinusoid(a, 0); };
constexpr auto kCos = [](f32 a) { return kSinusoid(a, 1); };

template <const auto& kFunction, bool kFtz>
void sinusoid(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  with_control<control_of(Rounding::rn, kFtz)>([&] { map_scalars<f32, f32>(registers, instruction, mask, kFunction); });
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 use and give the upper 32 bits only; subnormals count as zero.
constexpr u64 kUpperHalf = 0xFFFF'FFFF'0000'0000;
template <typename V>
FLASHGATE_INLINE V upper_half(V v)
{
  return as_bits<V>(as_bits<BitsOf<V>>(canonical(flush(v))) & kUpperHalf);
}
constexpr auto kRcpGross = [](auto a) { return upper_half(kRcp(upper_half(a))); };
constexpr auto kRsqrtGross = [](auto a) { return upper_half(kRsqrt(upper_half(a))); };
constexpr auto kRsqrt64 = [](auto a) { return canonical(kRsqrt(a)); };

template <bool kFtz>
void list_f32(const FormSink& sink)
{
  const auto with = [&](Operation operation, Handler handler) {
    sink({.operation = operation, .type = Type::f32, .ftz = kFtz, .approximate = true}, handler);
  };
  with(Operation::ex2, kFtz ? ex2_flushed : approximate<kEx2, false>);
  with(Operation::lg2, approximate<kLg2, kFtz>);
  with(Operation::rcp, approximate<kRcp, kFtz>);
  with(Operation::sqrt, approximate<kSqrt, kFtz>);
  with(Operation::rsqrt, approximate<kRsqrt, kFtz>);
  with(Operation::sin, sinusoid<kSin, kFtz>);
  with(Operation::cos, sinusoid<kCos, kFtz>);
}

}  // namespace

void list_special(const FormSink& sink)
{
  list_f32<false>(sink);
  list_f32<true>(sink);
  sink({.operation = Operation::tanh, .type = Type::f32, .approximate = true}, approximate<kTanh, false>);
  sink({.operation = Operation::rcp, .type = Type::f64, .ftz = true, .approximate = true},
       on_vectors<kRcpGross, f64, f64>);
  sink({.operation = Operation::rsqrt, .type = Type::f64, .ftz = true, .approximate = true},
       on_vectors<kRsqrtGross, f64, f64>);
  sink({.operation = Operation::rsqrt, .type = Type::f64, .approximate = true}, on_vectors<kRsqrt64, f64, f64>);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
