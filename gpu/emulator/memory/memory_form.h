#pragma once

#include <cstdint>

#include "gpu/emulator/isa/instruction.h"

namespace flashgate::gpu {

/// Instructions that touch memory or say something about addresses. What the slots of their isa::Instruction hold:
///
/// | operation        | slot                                                                     | predicate or b |
/// |------------------|--------------------------------------------------------------------------|-------------------------|
/// | load             | 0..count-1 destinations                                                  | | | store |
/// 0..count-1 values                                                        |                         | | atomic |
/// 0..count-1 old values, count..2*count-1 operands, 2*count new value (cas) |                         | | reduce | as
/// atomic; slots 0..count-1 are not looked at                            |                         | | load_matrix |
/// 0..count-1 destinations (32-bit)                                         |                         | | store_matrix
/// | 0..count-1 sources (32-bit)                                              |                         | | copy_async
/// | 0 source address (64-bit register or kNoSlot: none), 1 src-size (32-bit   | b: offset of the source | | |
/// register) or kNoSlot, 2 ignore-src predicate's index or kNoSlot          | address, as int32       | | copy_commit
/// | none                                                                     |                         | |
/// copy_wait_group  | none; `immediate` is N                                                   | | | copy_wait_all    |
/// none                                                                     |                         | | fence,
/// nothing   | none                                                                     |                         | |
/// is_space         | 0 destination: a predicate's index; the address is tested for `space`    | | | to_generic       |
/// 0 destination, register_bytes wide (cvta.space)                          |                         | | from_generic
/// | 0 destination, register_bytes wide (cvta.to.space)                       |                         |
///
/// Wherever there is an address: slot[kAddressSlot] is its register, address_bytes wide, or kNoSlot if the address is a
/// constant, and `immediate` is the offset added to it (two's complement). Destinations may be kNoSlot (`_`).
/// Operands that are constants are slots, as everywhere. Instruction::a holds memory_word(form).
enum class MemoryOperation : std::uint8_t {
  load,
  store,
  atomic,
  reduce,
  load_matrix,
  store_matrix,
  copy_async,
  copy_commit,
  copy_wait_group,
  copy_wait_all,
  fence,    ///< fence and membar, of `scope`
  nothing,  ///< prefetch, discard, createpolicy without a result: executes as no operation
  is_space,
  to_generic,
  from_generic,
};

inline constexpr int kAddressSlot = 15;

/// Where an address points. Offsets of shared, local and param begin at 0; a global or constant address is an address
/// of this process, as GlobalMemory gave it. Generic addresses: see address.h.
enum class StateSpace : std::uint8_t { generic, shared, global, local, constant, param };

/// What an access means to other threads. `volatile` counts as relaxed at system scope (PTX ISA, memory consistency).
enum class Semantics : std::uint8_t { weak, relaxed, acquire, release, acq_rel };

enum class Scope : std::uint8_t { cta, cluster, gpu, sys };

enum class AtomicOperation : std::uint8_t { add, min, max, inc, dec, bit_and, bit_or, bit_xor, exchange, cas };

/// How the operand of an atomic is read; `bits` for exchange, cas and the bitwise ones.
enum class AtomicType : std::uint8_t { bits, unsigned_integer, signed_integer, f16, bf16, f16x2, bf16x2, f32, f64 };

/// What a memory instruction does, without its operands. Cache operators, eviction hints and prefetch sizes are dropped
/// by the decoder; they change nothing here.
struct MemoryForm
{
  MemoryOperation operation = MemoryOperation::load;
  StateSpace space = StateSpace::generic;
  std::uint8_t element_bytes = 4;   ///< 1, 2, 4, 8 in memory; copy_async: bytes copied per lane (4, 8, 16)
  std::uint8_t count = 1;           ///< elements of the vector (1, 2, 4, 8), or matrices (1, 2, 4)
  std::uint8_t register_bytes = 4;  ///< 2, 4, 8: width of each element's register, at least 2 and element_bytes
  std::uint8_t address_bytes = 8;   ///< 4 or 8
  bool sign_extend = false;         ///< loads: .s8 .s16 .s32 into a wider register
  bool transposed = false;          ///< load_matrix, store_matrix
  AtomicOperation atomic = AtomicOperation::add;
  AtomicType type = AtomicType::bits;
  Semantics semantics = Semantics::weak;  ///< atomics without one are relaxed: say so; fences: acq_rel
  Scope scope = Scope::gpu;
};

/// The form in one word, for Instruction::a.
std::uint32_t memory_word(const MemoryForm& form);

/// The handler of a form; nullptr if there is none (say so by PTX name). Every handler checks bounds. A checked one
/// also consults MemoryContext::checks and keeps the counters; an unchecked one is for launches with neither.
isa::Handler find_memory_handler(const MemoryForm& form, bool checked);

}  // namespace flashgate::gpu
