#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gpu/emulator/decode/modifiers.h"
#include "gpu/emulator/decode/program_builder.h"
#include "gpu/emulator/memory/memory_form.h"

namespace flashgate::gpu::decode {

/// Thrown for an instruction that the emulated device does not have; `why` may be empty.
struct Unsupported
{
  std::string why;
};

/// Where an address operand points: a register (or none) and an offset in a space.
struct Address
{
  std::int32_t reg = -1;  ///< register of the program
  std::uint32_t reg_bytes = 8;
  std::uint64_t offset = 0;
  /// Of a symbol: where it lives, which may be another space than the instruction names (parameters of calls).
  StateSpace space = StateSpace::generic;
  bool has_symbol = false;
};

/// One instruction in the making. Decoders of a family read its modifiers and operands and say what each slot holds.
class InstructionBuilder
{
 public:
  /// For the instruction that is the last of builder.program().
  InstructionBuilder(ProgramBuilder& builder, const FlatInstruction& flat);

  ProgramBuilder& builder() { return builder_; }
  const FlatInstruction& flat() const { return flat_; }
  const Frame& frame() const { return builder_.flat().frames[flat_.frame]; }
  const ptx::FunctionBody& body() const { return *frame().body; }
  Modifiers& modifiers() { return modifiers_; }
  std::span<const ptx::Operand> operands() const { return operands_; }
  /// Throws Unsupported if there is none.
  const ptx::Operand& operand(std::size_t place) const;
  std::span<const ptx::Operand> elements(const ptx::Operand& operand) const { return body().elements_of(operand); }

  isa::Instruction& instruction() { return builder_.program().instructions[index_]; }
  InstructionSite& site() { return builder_.program().sites[index_]; }
  InstructionFlow& flow() { return builder_.program().flow[index_]; }
  void set_class(InstructionClass kind) { site().kind = kind; }

  /// `slot` holds what `operand` reads: a register, a constant, a special register, the address of a symbol.
  void source(std::uint32_t slot, const ptx::Operand& operand, std::uint32_t bytes);
  /// `slot` is written; a register of its own where the operand is `_`.
  void destination(std::uint32_t slot, const ptx::Operand& operand, std::uint32_t bytes);
  /// A predicate; its negation is said by bit `slot` of Instruction::a.
  void predicate_source(std::uint32_t slot, const ptx::Operand& operand);
  void predicate_destination(std::uint32_t slot, const ptx::Operand& operand);
  void constant(std::uint32_t slot, std::uint64_t bits, std::uint32_t bytes);
  void read_register(std::uint32_t slot, std::uint32_t reg);
  void write_register(std::uint32_t slot, std::uint32_t reg);
  void no_slot(std::uint32_t slot) { set_slot(slot, isa::kNoSlot); }

  /// The number in the program of a register operand.
  std::uint32_t register_of(const ptx::Operand& operand) const;
  /// Bytes of a register operand; `otherwise` for anything else.
  std::uint32_t bytes_of(const ptx::Operand& operand, std::uint32_t otherwise) const;
  bool is_register(const ptx::Operand& operand) const { return operand.kind == ptx::Operand::Kind::reg; }
  /// An immediate integer. Throws Unsupported for anything else.
  std::uint64_t immediate(const ptx::Operand& operand) const;

  /// Where `[...]` points.
  Address address(const ptx::Operand& operand) const;
  /// What a symbol stands for as a value: its address in its space.
  Address symbol(const ptx::Operand& operand) const;

 private:
  void set_slot(std::uint32_t slot, std::uint32_t value);
  void use(std::uint32_t slot, SlotUse::Kind kind, std::uint32_t index);
  Home home_of(const ptx::Operand& operand) const;

  ProgramBuilder& builder_;
  const FlatInstruction& flat_;
  std::uint32_t index_;
  Modifiers modifiers_;
  std::span<const ptx::Operand> operands_;
};

/// The special register of that name. Throws Unsupported for those that change while a kernel runs (%clock), and for
/// unknown ones.
SpecialRegister special_register(std::string_view name);

}  // namespace flashgate::gpu::decode
