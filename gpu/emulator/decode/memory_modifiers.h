#pragma once

#include "gpu/emulator/decode/family.h"

namespace flashgate::gpu::decode {

/// Takes .global, .shared::cta, ...; generic if there is none.
StateSpace take_space(Modifiers& modifiers);

/// Takes .weak, .volatile, .relaxed, .acquire, ... with their scope; `otherwise` if there is none.
void take_semantics(Modifiers& modifiers, MemoryForm& form, Semantics otherwise);

/// Takes cache operators, eviction priorities and prefetch sizes: they change nothing. True if a cache policy follows
/// the operands.
bool take_cache_hints(Modifiers& modifiers);

/// Takes .v2, .v4, .v8; 1 if there is none.
std::uint8_t take_vector(Modifiers& modifiers);

/// The operand's elements, or itself.
std::span<const ptx::Operand> data_elements(const InstructionBuilder& builder, const ptx::Operand& operand);

/// Counters tell shared and global memory from the rest.
InstructionClass class_of(StateSpace space);

}  // namespace flashgate::gpu::decode
