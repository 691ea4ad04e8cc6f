// Exchange between the lanes of a warp: PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync", "activemask".
#include "gpu/emulator/isa/lanes/comparison.h"
#include "gpu/emulator/isa/lanes/element.h"
#include "gpu/emulator/isa/lanes/lane_bits.h"
#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {
namespace {

/// The lanes that take part. All of them name the same member mask, so that of the first counts.
FLASHGATE_INLINE LaneMask members(const Registers& registers, const Instruction& instruction, int slot, LaneMask mask)
{
  const int first = __builtin_ctz(mask);
  return registers.lanes<u32>(instruction.slot[slot])[first] & mask;
}

inline constexpr int kSteps = kVectorBytes / 4;
using Words = Vector<u32, kSteps>;
using Integers = Vector<s32, kSteps>;

#if defined(__AVX512F__)
/// Element from[k] of the 32 words at `a`.
FLASHGATE_INLINE Words gather_lanes(const u32* a, Integers from)
{
  return as_bits<Words>(
      _mm512_permutex2var_epi32(_mm512_loadu_si512(a), as_bits<__m512i>(from), _mm512_loadu_si512(a + 16)));
}
#elif defined(__AVX2__)
FLASHGATE_INLINE Words gather_lanes(const u32* a, Integers from)
{
  const auto quarter = [&](int k) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + 8 * k));
    return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(words, as_bits<__m256i>(from)));
  };
  // Bits 3 and 4 choose among the quarters, as signs.
  const __m256 bit3 = as_bits<__m256>(from << 28);
  const __m256 bit4 = as_bits<__m256>(from << 27);
  const __m256 lower = _mm256_blendv_ps(quarter(0), quarter(1), bit3);
  const __m256 upper = _mm256_blendv_ps(quarter(2), quarter(3), bit3);
  return as_bits<Words>(_mm256_blendv_ps(lower, upper, bit4));
}
#else
FLASHGATE_INLINE Words gather_lanes(const u32* a, Integers from)
{
  return Words{a[from[0]], a[from[1]], a[from[2]], a[from[3]]};
}
#endif

/// The lanes that `lane` reads from, and whether they are within their segments.
template <Mode kMode>
FLASHGATE_INLINE Integers source_lanes(Integers lane, Integers b, Integers c, Integers& inside)
{
  const Integers distance = b & 31;
  const Integers segment = c >> 8 & 31;
  const Integers last = (lane & segment) | (c & 31 & ~segment);
  Integers from = lane - distance;
  if constexpr (kMode == Mode::down) from = lane + distance;
  if constexpr (kMode == Mode::bfly) from = lane ^ distance;
  if constexpr (kMode == Mode::idx) from = (lane & segment) | (distance & ~segment);
  inside = kMode == Mode::up ? from >= last : from <= last;
  return inside ? from : lane;
}

template <Mode kMode>
void shuffle(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  const u32* const a = registers.lanes<u32>(instruction.slot[2]);
  const s32* const b = registers.lanes<s32>(instruction.slot[3]);
  const s32* const c = registers.lanes<s32>(instruction.slot[4]);
  const LaneMask taking_part = members(registers, instruction, 5, mask);
  alignas(64) u32 results[kLanes];
  LaneMask inside_all = 0;
  FLASHGATE_UNROLL
  for (int first = 0; first < kLanes; first += kSteps) {
    const Integers lane = make_vector<s32, kSteps>([](int k) { return k; }) + first;
    Integers inside;
    Integers from = source_lanes<kMode>(lane, load<s32, kSteps>(b + first), load<s32, kSteps>(c + first), inside);
    const Words on = splat<u32, kSteps>(taking_part) >> as_bits<Words>(from) & 1;
    from = on != 0 ? from : lane;
    store(results + first, gather_lanes(a, from));
    inside_all |= lane_bits<s32, kSteps>(inside) << first;
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
