// Moves and selections: PTX ISA, "mov", "selp", "slct".
#include "gpu/emulator/isa/lanes/element.h"
#include "gpu/emulator/isa/lanes/float_mode.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

constexpr auto kSame = [](auto a) { return a; };

/// d = {first source, second, ...}, the first in the lowest bits.
template <typename T, typename E>
void pack(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  constexpr int kParts = sizeof(T) / sizeof(E);
  alignas(64) T results[kLanes] = {};
  for (int part = 0; part < kParts; ++part) {
    const E* const from = registers.lanes<E>(instruction.slot[1 + part]);
    for (int lane = 0; lane < kLanes; ++lane)
      results[lane] |= T(T{from[lane]} << 8 * sizeof(E) * part);
  }
  store_all(registers.lanes<T>(instruction.slot[0]), results, mask);
}

template <typename T, typename E>
void unpack(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  constexpr int kParts = sizeof(T) / sizeof(E);
  const T* const from = registers.lanes<T>(instruction.slot[kParts]);
  for (int part = 0; part < kParts; ++part) {
    if (instruction.slot[part] == kNoSlot) continue;
    alignas(64) E results[kLanes];
    for (int lane = 0; lane < kLanes; ++lane)
      results[lane] = static_cast<E>(from[lane] >> 8 * sizeof(E) * part);
    store_all(registers.lanes<E>(instruction.slot[part]), results, mask);
  }
}

template <typename T>
void select(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  constexpr int N = lanes_per_step<T>();
  const LaneMask p = predicate(registers, instruction, 3);
  T* const d = registers.lanes<T>(instruction.slot[0]);
  const T* const a = registers.lanes<T>(instruction.slot[1]);
  const T* const b = registers.lanes<T>(instruction.slot[2]);
  FLASHGATE_UNROLL
  for (int first = 0; first < kLanes; first += N) {
    const auto value = expand<T, N>(p, first) ? load<T, N>(a + first) : load<T, N>(b + first);
    store_lanes<N>(d, first, value, mask);
  }
}

/// a where c >= 0, b else and for a c that is no number. Flushing matters: a negative subnormal becomes -0, which is
/// >= 0.
template <typename T, typename C, bool kFtz>
void select_by_sign(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  with_control<control_of(Rounding::rn, kFtz)>(
      [&] { map_scalars<T, T, T, C>(registers, instruction, mask, [](T a, T b, C c) { return c >= C(0) ? a : b; }); });
}

template <Type kType>
void list_width(const FormSink& sink)
{
  using T = Element<kType>;
  const auto by_sign = [&](Type other, bool ftz, Handler handler) {
    sink({.operation = Operation::slct, .type = kType, .other = other, .ftz = ftz}, handler);
  };
  sink({.operation = Operation::mov, .type = kType}, on_vectors<kSame, T, T>);
  sink({.operation = Operation::selp, .type = kType}, select<T>);
  by_sign(Type::s32, false, select_by_sign<T, s32, false>);
  by_sign(Type::f32, false, select_by_sign<T, f32, false>);
  by_sign(Type::f32, true, select_by_sign<T, f32, true>);
}

template <Type kType, Type kPart>
void list_parts(const FormSink& sink)
{
  using T = Element<kType>;
  using E = Element<kPart>;
  sink({.operation = Operation::pack, .type = kType, .other = kPart}, pack<T, E>);
  sink({.operation = Operation::unpack, .type = kType, .other = kPart}, unpack<T, E>);
}

}  // namespace

void list_move(const FormSink& sink)
{
  list_width<Type::b16>(sink);
  list_width<Type::b32>(sink);
  list_width<Type::b64>(sink);
  list_parts<Type::b32, Type::b16>(sink);
  list_parts<Type::b64, Type::b32>(sink);
  list_parts<Type::b64, Type::b16>(sink);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
