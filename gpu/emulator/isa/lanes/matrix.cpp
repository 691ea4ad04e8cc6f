// Matrix instructions of a warp: PTX ISA, "mma.sync" and "movmatrix".
#include "gpu/emulator/isa/lanes/mma.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

/// How many registers a lane has of each matrix, and how to read them.
template <typename Format, int kDepth>
struct HalfInputs
{
  static constexpr int kQuads = kDepth / 4;
  static constexpr int kA = kDepth / 4;
  static constexpr int kB = kDepth / 8;

  FLASHGATE_INLINE static void place(MmaOperands& operands, const Registers& registers, const u32* a, const u32* b)
  {
    for (int k = 0; k < kB; ++k) {
      place_half_a<Format>(operands, 0, 2 * k, registers.lanes<u32>(a[2 * k]));
      place_half_a<Format>(operands, 1, 2 * k, registers.lanes<u32>(a[2 * k + 1]));
      place_half_b<Format>(operands, 2 * k, registers.lanes<u32>(b[k]));
    }
  }
};

/// tf32: words with a k each, of which the low 13 bits do not count.
template <int kDepth>
struct WordInputs
{
  static constexpr int kQuads = kDepth / 4;
  static constexpr int kA = kDepth / 2;
  static constexpr int kB = kDepth / 4;
  static constexpr u32 kSeen = 0xFFFF'E000;

  FLASHGATE_INLINE static void place(MmaOperands& operands, const Registers& registers, const u32* a, const u32* b)
  {
    for (int quad = 0; quad < kQuads; ++quad) {
      alignas(64) u32 columns[kLanes];
      for (int step = 0; step < kRowSteps; ++step) {
        for (int half = 0; half < 2; ++half)
          store(operands.a[half][step][quad],
                load<u32, kSteps>(registers.lanes<u32>(a[2 * quad + half]) + step * kSteps) & kSeen);
        store(columns + step * kSteps, load<u32, kSteps>(registers.lanes<u32>(b[quad]) + step * kSteps) & kSeen);
      }
      place_b(operands, quad, reinterpret_cast<const f32*>(columns));
    }
  }
};

/// C and D as f32: register 2h has the even columns of half h, 2h + 1 the odd ones.
struct FloatSums
{
  static constexpr int kRegisters = 4;

  FLASHGATE_INLINE static void fetch(const Registers& registers, const u32* c, int half, int first, Floats& even,
                                     Floats& odd)
  {
    even = load<f32, kSteps>(registers.lanes<f32>(c[2 * half]) + first);
    odd = load<f32, kSteps>(registers.lanes<f32>(c[2 * half + 1]) + first);
  }
  FLASHGATE_INLINE static void put(const Registers& registers, const u32* d, int half, int first, Floats even,
                                   Floats odd, LaneMask mask)
  {
    store_lanes<kSteps>(registers.lanes<f32>(d[2 * half]), first, canonical(even), mask);
    store_lanes<kSteps>(registers.lanes<f32>(d[2 * half + 1]), first, canonical(odd), mask);
  }
};

/// C and D as f16, rounded once at the end: register h has both columns of half h.
struct HalfSums
{
  static constexpr int kRegisters = 2;

  FLASHGATE_INLINE static void fetch(const Registers& registers, const u32* c, int half, int first, Floats& even,
                                     Floats& odd)
  {
    const Words words = load<u32, kSteps>(registers.lanes<u32>(c[half]) + first);
    even = F16::widen(convert<u16>(words & 0xFFFF));
    odd = F16::widen(convert<u16>(words >> 16));
  }
  FLASHGATE_INLINE static void put(const Registers& registers, const u32* d, int half, int first, Floats even,
                                   Floats odd, LaneMask mask)
  {
    const Words words = F16::narrow_words(odd) << 16 | F16::narrow_words(even);
    store_lanes<kSteps>(registers.lanes<u32>(d[half]), first, words, mask);
  }
};

template <typename Inputs, typename Sums, bool kExactProducts>
FLASHGATE_INLINE void sum_up(const Registers& registers, const u32* d, const u32* c, const MmaOperands& operands,
                             LaneMask mask)
{
  for (int step = 0; step < kRowSteps; step += kStepsAtOnce) {
    MmaSums sums;
    for (int half = 0; half < 2; ++half)
      for (int s = 0; s < kStepsAtOnce; ++s)
        Sums::fetch(registers, c, half, (step + s) * kSteps, sums.even[half][s], sums.odd[half][s]);
    add_products<Inputs::kQuads, kExactProducts>(sums, operands, step);
    for (int half = 0; half < 2; ++half)
      for (int s = 0; s < kStepsAtOnce; ++s)
        Sums::put(registers, d, half, (step + s) * kSteps, sums.even[half][s], sums.odd[half][s], mask);
  }
}

template <typename Inputs, typename Sums>
void multiply(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const u32* const d = &instruction.slot[0];
  const u32* const a = d + Sums::kRegisters;
  const u32* const b = a + Inputs::kA;
  const u32* const c = b + Inputs::kB;
  MmaOperands operands;
  Inputs::place(operands, registers, a, b);
#if !defined(__AVX2__)
  if (!products_are_exact<Inputs::kQuads>(operands)) {
    sum_up<Inputs, Sums, false>(registers, d, c, operands, mask);
    return;
  }
#endif
  sum_up<Inputs, Sums, true>(registers, d, c, operands, mask);
}

template <typename T>
FLASHGATE_INLINE s32 byte_of(u32 word, int k)
{
  return static_cast<T>(word >> 8 * k);
}

/// One element of A B for 8-bit integers: row of half `half`, column n; lanes hold four k each.
template <typename A, typename B>
FLASHGATE_INLINE s64 dot(const Registers& registers, const u32* a, const u32* b, int depth, int half, int row, int n)
{
  s64 sum = 0;
  for (int k = 0; k < depth; ++k) {
    const int lane = k / 4 % 4;
    const u32 x = registers.lanes<u32>(a[k / 16 * 2 + half])[4 * row + lane];
    const u32 y = registers.lanes<u32>(b[k / 16])[4 * n + lane];
    sum += byte_of<A>(x, k % 4) * byte_of<B>(y, k % 4);
  }
  return sum;
}

template <typename A, typename B, int kDepth, bool kSaturate>
void multiply_bytes(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const u32* const d = &instruction.slot[0];
  const u32* const a = d + 4;
  const u32* const b = a + kDepth / 8;
  const u32* const c = b + kDepth / 16;
  alignas(64) s32 results[4][kLanes];
  for (int r = 0; r < 4; ++r)
    for (int lane = 0; lane < kLanes; ++lane) {
      const s64 sum =
          dot<A, B>(registers, a, b, kDepth, r / 2, lane / 4, lane % 4 * 2 + r % 2) + registers.lanes<s32>(c[r])[lane];
      const s64 high = sum > 0x7FFF'FFFF ? 0x7FFF'FFFF : sum;
      results[r][lane] = static_cast<s32>(kSaturate ? (high < -0x8000'0000ll ? -0x8000'0000ll : high) : sum);
    }
  for (int r = 0; r < 4; ++r)
    store_all(registers.lanes<s32>(d[r]), results[r], mask);
}

/// Row i, columns 2t and 2t + 1 of the transpose are elements of rows 2t and 2t + 1.
void transpose(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const u16* const a = registers.lanes<u16>(instruction.slot[1]);
  alignas(64) u32 results[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const int column = lane / 4;
    const int row = lane % 4 * 2;
    results[lane] = a[8 * row + column] | u32{a[8 * (row + 1) + column]} << 16;
  }
  store_all(registers.lanes<u32>(instruction.slot[0]), results, mask);
}

void list_product(const FormSink& sink, Shape shape, Type sums, Type a, Type b, bool satfinite, Handler handler)
{
  sink({.operation = Operation::mma, .type = sums, .other = a, .third = b, .shape = shape, .satfinite = satfinite},
       handler);
}

template <typename A, typename B>
void list_bytes(const FormSink& sink, Type a, Type b)
{
  list_product(sink, Shape::m16n8k16, Type::s32, a, b, false, multiply_bytes<A, B, 16, false>);
  list_product(sink, Shape::m16n8k16, Type::s32, a, b, true, multiply_bytes<A, B, 16, true>);
  list_product(sink, Shape::m16n8k32, Type::s32, a, b, false, multiply_bytes<A, B, 32, false>);
  list_product(sink, Shape::m16n8k32, Type::s32, a, b, true, multiply_bytes<A, B, 32, true>);
}

}  // namespace

void list_matrix(const FormSink& sink)
{
  using enum Type;
  const auto halves = [&](Shape shape, Type sums, Type inputs, Handler handler) {
    list_product(sink, shape, sums, inputs, inputs, false, handler);
  };
  halves(Shape::m16n8k8, f32, f16, multiply<HalfInputs<F16, 8>, FloatSums>);
  halves(Shape::m16n8k16, f32, f16, multiply<HalfInputs<F16, 16>, FloatSums>);
  halves(Shape::m16n8k8, f16, f16, multiply<HalfInputs<F16, 8>, HalfSums>);
  halves(Shape::m16n8k16, f16, f16, multiply<HalfInputs<F16, 16>, HalfSums>);
  halves(Shape::m16n8k8, f32, bf16, multiply<HalfInputs<Bf16, 8>, FloatSums>);
  halves(Shape::m16n8k16, f32, bf16, multiply<HalfInputs<Bf16, 16>, FloatSums>);
  halves(Shape::m16n8k4, f32, tf32, multiply<WordInputs<4>, FloatSums>);
  halves(Shape::m16n8k8, f32, tf32, multiply<WordInputs<8>, FloatSums>);
  list_bytes<FLASHGATE_ISA_CORE::s8, FLASHGATE_ISA_CORE::s8>(sink, s8, s8);
  list_bytes<FLASHGATE_ISA_CORE::s8, FLASHGATE_ISA_CORE::u8>(sink, s8, u8);
  list_bytes<FLASHGATE_ISA_CORE::u8, FLASHGATE_ISA_CORE::s8>(sink, u8, s8);
  list_bytes<FLASHGATE_ISA_CORE::u8, FLASHGATE_ISA_CORE::u8>(sink, u8, u8);
  sink({.operation = Operation::movmatrix, .type = b16}, transpose);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
