// Exchange between the lanes of a warp: PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync", "activemask".
#include "gpu/emulator/isa/lanes/comparison.h"
#include "gpu/emulator/isa/lanes/element.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

/// The lanes that take part. All of them name the same member mask, so that of the first counts.
FLASHGATE_INLINE LaneMask members(const Registers& registers, const Instruction& instruction, int slot, LaneMask mask)
{
  const int first = __builtin_ctz(mask);
  return registers.lanes<u32>(instruction.slot[slot])[first] & mask;
}

/// The lane that `lane` reads from, and whether it is within the segment.
template <Mode kMode>
FLASHGATE_INLINE int source_lane(int lane, u32 b, u32 c, bool& inside)
{
  const int distance = static_cast<int>(b & 31);
  const int segment = static_cast<int>(c >> 8 & 31);
  const int limit = static_cast<int>(c & 31);
  const int last = (lane & segment) | (limit & ~segment);
  int from = 0;
  if constexpr (kMode == Mode::up) {
    from = lane - distance;
    inside = from >= last;
  } else {
    if constexpr (kMode == Mode::down) from = lane + distance;
    if constexpr (kMode == Mode::bfly) from = lane ^ distance;
    if constexpr (kMode == Mode::idx) from = (lane & segment) | (distance & ~segment);
    inside = from <= last;
  }
  return inside ? from : lane;
}

template <Mode kMode>
void shuffle(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const u32* const a = registers.lanes<u32>(instruction.slot[2]);
  const u32* const b = registers.lanes<u32>(instruction.slot[3]);
  const u32* const c = registers.lanes<u32>(instruction.slot[4]);
  const LaneMask taking_part = members(registers, instruction, 5, mask);
  alignas(64) u32 results[kLanes];
  LaneMask inside_all = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    bool inside = false;
    const int from = source_lane<kMode>(lane, b[lane], c[lane], inside);
    results[lane] = a[taking_part >> from & 1 ? from : lane];
    inside_all |= LaneMask{inside} << lane;
  }
  if (instruction.slot[0] != kNoSlot) store_all(registers.lanes<u32>(instruction.slot[0]), results, mask);
  set_predicate(registers, instruction, 1, inside_all, mask);
}

template <Mode kMode>
void vote(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const LaneMask taking_part = members(registers, instruction, 2, mask);
  const LaneMask votes = predicate(registers, instruction, 1) & taking_part;
  if constexpr (kMode == Mode::ballot) {
    alignas(64) u32 results[kLanes];
    for (u32& result : results)
      result = votes;
    store_all(registers.lanes<u32>(instruction.slot[0]), results, mask);
  } else {
    const bool all = votes == taking_part;
    const bool truth = kMode == Mode::all ? all : (kMode == Mode::any ? votes != 0 : all || votes == 0);
    set_predicate(registers, instruction, 0, truth ? kAllLanes : 0, mask);
  }
}

template <typename T>
FLASHGATE_INLINE LaneMask lanes_with(const T* values, T value)
{
  LaneMask same = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    same |= LaneMask{values[lane] == value} << lane;
  return same;
}

template <typename T>
void match_any(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const T* const a = registers.lanes<T>(instruction.slot[1]);
  const LaneMask taking_part = members(registers, instruction, 2, mask);
  alignas(64) u32 results[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    results[lane] = lanes_with(a, a[lane]) & taking_part;
  store_all(registers.lanes<u32>(instruction.slot[0]), results, mask);
}

template <typename T>
void match_all(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const T* const a = registers.lanes<T>(instruction.slot[2]);
  const LaneMask taking_part = members(registers, instruction, 3, mask);
  const T value = a[__builtin_ctz(taking_part | (taking_part == 0))];
  const bool all = (lanes_with(a, value) & taking_part) == taking_part;
  alignas(64) u32 results[kLanes];
  for (u32& result : results)
    result = all ? taking_part : 0;
  if (instruction.slot[0] != kNoSlot) store_all(registers.lanes<u32>(instruction.slot[0]), results, mask);
  set_predicate(registers, instruction, 1, all ? kAllLanes : 0, mask);
}

template <Mode kMode, typename T>
FLASHGATE_INLINE T reduced(T x, T y)
{
  if constexpr (kMode == Mode::redux_add) return static_cast<T>(u32(x) + u32(y));
  if constexpr (kMode == Mode::redux_min) return x < y ? x : y;
  if constexpr (kMode == Mode::redux_max) return x > y ? x : y;
  if constexpr (kMode == Mode::redux_and) return x & y;
  if constexpr (kMode == Mode::redux_or) return x | y;
  if constexpr (kMode == Mode::redux_xor) return x ^ y;
}

template <Mode kMode, typename T>
void reduce(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const T* const a = registers.lanes<T>(instruction.slot[1]);
  LaneMask left = members(registers, instruction, 2, mask);
  T total{};
  if (left != 0) total = a[__builtin_ctz(left)];
  for (left &= left - 1; left != 0; left &= left - 1)
    total = reduced<kMode>(total, a[__builtin_ctz(left)]);
  alignas(64) T results[kLanes];
  for (T& result : results)
    result = total;
  store_all(registers.lanes<T>(instruction.slot[0]), results, mask);
}

void active_mask(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  map_scalars<u32>(registers, instruction, mask, [mask] { return mask; });
}

template <Type kType, Mode... kModes>
void list_redux(const FormSink& sink)
{
  for_each_value<kModes...>([&]<Mode kMode>() {
    sink({.operation = Operation::redux, .type = kType, .mode = kMode}, reduce<kMode, Element<kType>>);
  });
}

template <Type kType>
void list_match(const FormSink& sink)
{
  sink({.operation = Operation::match_any, .type = kType}, match_any<Element<kType>>);
  sink({.operation = Operation::match_all, .type = kType}, match_all<Element<kType>>);
}

}  // namespace

void list_warp(const FormSink& sink)
{
  using enum Mode;
  for_each_value<up, down, bfly, idx>(
      [&]<Mode kMode>() { sink({.operation = Operation::shfl, .type = Type::b32, .mode = kMode}, shuffle<kMode>); });
  for_each_value<all, any, uni>(
      [&]<Mode kMode>() { sink({.operation = Operation::vote, .type = Type::pred, .mode = kMode}, vote<kMode>); });
  sink({.operation = Operation::vote, .type = Type::b32, .mode = ballot}, vote<ballot>);
  list_match<Type::b32>(sink);
  list_match<Type::b64>(sink);
  list_redux<Type::u32, redux_add, redux_min, redux_max>(sink);
  list_redux<Type::s32, redux_add, redux_min, redux_max>(sink);
  list_redux<Type::b32, redux_and, redux_or, redux_xor>(sink);
  sink({.operation = Operation::activemask, .type = Type::b32}, active_mask);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
