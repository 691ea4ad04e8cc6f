#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace flashgate::gpu::isa {

inline constexpr int kLanes = 32;

/// One bit per lane of a warp, lane 0 the lowest.
using LaneMask = std::uint32_t;
inline constexpr LaneMask kAllLanes = 0xFFFF'FFFF;

/// A warp as the semantics see it: its registers. `values` holds one slot per register, a slot being 32 elements of the
/// register's width in lane order (16-bit: 64 bytes, 32-bit: 128, 64-bit: 256), aligned to 64 bytes. A predicate
/// register is a LaneMask. Constant operands are slots as well, filled before the warp starts, so that every source is
/// read alike.
struct Registers
{
  std::byte* values = nullptr;
  LaneMask* predicates = nullptr;

  /// The 32 elements of the slot at byte offset `slot`.
  template <typename T>
  [[gnu::always_inline]] T* lanes(std::uint32_t slot) const
  {
    return reinterpret_cast<T*>(values + slot);
  }
};

struct Instruction;

/// Executes one instruction for the lanes of `mask` (never 0). Nothing of the other lanes' registers is written or has
/// an influence. The floating-point environment is the default one (round to nearest, subnormals kept) before and
/// after. Handlers of the engine, which need more of the warp than its registers, take the same form and downcast.
using Handler = void (*)(Registers&, const Instruction&, LaneMask mask);

inline constexpr std::uint32_t kNoSlot = 0xFFFF'FFFF;

/// A decoded instruction. What the slots mean is said by the form it was made from (isa/form.h, memory_form.h): as a
/// rule slot[0] is the destination and the sources follow in PTX order, vector operands element by element. A register
/// operand is a byte offset into Registers::values, a predicate an index into Registers::predicates.
struct Instruction
{
  Handler run = nullptr;
  std::uint64_t immediate = 0;
  std::array<std::uint32_t, 16> slot{};
  std::uint32_t a = 0;  ///< two words whose meaning the form gives (counts, negated predicates, ...)
  std::uint32_t b = 0;
  const std::uint32_t* more_slots = nullptr;  ///< operands beyond 16, owned by the program
  std::int32_t index = 0;                     ///< its place in the program
  std::int32_t target = -1;                   ///< branches: where to
  std::int32_t guard = -1;                    ///< predicate index, or -1
  bool guard_negated = false;
  bool is_control = false;  ///< may change the split or the program counter
};

}  // namespace flashgate::gpu::isa
