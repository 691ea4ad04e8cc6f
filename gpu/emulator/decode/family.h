#pragma once

#include <span>
#include <string_view>

#include "gpu/emulator/decode/instruction_builder.h"

namespace flashgate::gpu::decode {

/// How the instructions with one base opcode ("add", "ld", "mma") are decoded: reads modifiers and operands, fills in
/// the instruction. Throws Unsupported.
struct Family
{
  std::string_view base;
  void (*decode)(InstructionBuilder& builder) = nullptr;
};

/// The families of each topic; a new architecture adds a topic here and a line in family_table.cpp.
std::span<const Family> arithmetic_families();
std::span<const Family> function_families();
std::span<const Family> bit_families();
std::span<const Family> comparison_families();
std::span<const Family> move_families();
std::span<const Family> conversion_families();
std::span<const Family> warp_families();
std::span<const Family> matrix_families();
std::span<const Family> load_store_families();
std::span<const Family> address_families();
std::span<const Family> atomic_families();
std::span<const Family> async_copy_families();
std::span<const Family> control_families();
std::span<const Family> barrier_families();
std::span<const Family> hint_families();

/// nullptr if no topic has it.
const Family* find_family(std::string_view base);

/// Completes a register-only instruction: finds the handler of `form` and fills its slots from the PTX operands, all of
/// whose modifiers must have been taken. `operands` are those of the instruction unless given.
void bind_form(InstructionBuilder& builder, const isa::Form& form, InstructionClass kind);
void bind_form(InstructionBuilder& builder, const isa::Form& form, InstructionClass kind,
               std::span<const ptx::Operand> operands);

/// Completes a memory instruction: its handler and Instruction::a. All modifiers must have been taken.
void bind_memory(InstructionBuilder& builder, const MemoryForm& form, InstructionClass kind);

/// Fills the address slot and `immediate` from `[...]`, and form.address_bytes. The space of a symbol comes first if
/// the instruction names none, or names .param.
void bind_address(InstructionBuilder& builder, MemoryForm& form, const ptx::Operand& operand);

/// The integer or floating class of a type.
InstructionClass class_of(isa::Type type);
bool is_floating(isa::Type type);

}  // namespace flashgate::gpu::decode
