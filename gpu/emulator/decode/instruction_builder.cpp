#include "gpu/emulator/decode/instruction_builder.h"

#include <bit>

#include "gpu/emulator/memory/address.h"

namespace flashgate::gpu::decode {
namespace {

using Kind = ptx::Operand::Kind;

/// An immediate in a register of `bytes`: numbers with a point are converted to the width at hand.
std::uint64_t immediate_bits(const ptx::Operand& operand, std::uint32_t bytes)
{
  if (operand.form == ptx::NumberForm::f64 && bytes == 4) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  }
  if (operand.form == ptx::NumberForm::f32 && bytes == 8) {
    return std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))});
  }
  return operand.bits;
}

StateSpace space_of_home(ptx::StateSpace space)
{
  switch (space) {
    case ptx::StateSpace::shared:
      return StateSpace::shared;
    case ptx::StateSpace::local:
      return StateSpace::local;
    case ptx::StateSpace::param:
      return StateSpace::param;
    case ptx::StateSpace::constant:
      return StateSpace::constant;
    default:
      return StateSpace::global;
  }
}

const ptx::Opcode& no_opcode()
{
  static const ptx::Opcode kNone{.text = "", .parts = {""}};
  return kNone;
}

}  // namespace

InstructionBuilder::InstructionBuilder(ProgramBuilder& builder, const FlatInstruction& flat)
    : builder_(builder),
      flat_(flat),
      index_(static_cast<std::uint32_t>(builder.program().instructions.size() - 1)),
      modifiers_(flat.source == nullptr ? no_opcode() : body().opcodes[flat.source->opcode])
{
  if (flat.source != nullptr) operands_ = body().operands_of(*flat.source);
}

const ptx::Operand& InstructionBuilder::operand(std::size_t place) const
{
  if (place >= operands_.size()) throw Unsupported{"too few operands"};
  return operands_[place];
}

void InstructionBuilder::set_slot(std::uint32_t slot, std::uint32_t value)
{
  isa::Instruction& to = instruction();
  if (slot < to.slot.size()) {
    to.slot[slot] = value;
    return;
  }
  auto& pool = builder_.program().slot_pool;
  if (site().more_slots < 0) {
    site().more_slots = static_cast<std::int32_t>(pool.size());
    pool.emplace_back();
  }
  auto& more = pool[site().more_slots];
  const std::size_t place = slot - to.slot.size();
  if (more.size() <= place) more.resize(place + 1, isa::kNoSlot);
  more[place] = value;
}

void InstructionBuilder::use(std::uint32_t slot, SlotUse::Kind kind, std::uint32_t index)
{
  if (slot != kMembersSlot) set_slot(slot, 0);
  builder_.slot_uses().push_back({.instruction = index_, .slot = slot, .kind = kind, .index = index});
}

void InstructionBuilder::read_register(std::uint32_t slot, std::uint32_t reg)
{
  site().reads.push_back(reg);
  use(slot, SlotUse::Kind::reg, reg);
}

void InstructionBuilder::write_register(std::uint32_t slot, std::uint32_t reg)
{
  site().writes.push_back(reg);
  use(slot, SlotUse::Kind::reg, reg);
}

void InstructionBuilder::constant(std::uint32_t slot, std::uint64_t bits, std::uint32_t bytes)
{
  use(slot, SlotUse::Kind::constant, builder_.constant(bits, bytes));
}

std::uint32_t InstructionBuilder::register_of(const ptx::Operand& operand) const
{
  if (operand.kind != Kind::reg) throw Unsupported{"an operand that must be a register"};
  return frame().first_register + static_cast<std::uint32_t>(operand.index);
}

std::uint32_t InstructionBuilder::bytes_of(const ptx::Operand& operand, std::uint32_t otherwise) const
{
  if (operand.kind != Kind::reg) return otherwise;
  return register_bytes(body().registers[operand.index].type);
}

std::uint64_t InstructionBuilder::immediate(const ptx::Operand& operand) const
{
  if (operand.kind != Kind::immediate) throw Unsupported{"an operand that must be a constant"};
  return operand.bits;
}

void InstructionBuilder::source(std::uint32_t slot, const ptx::Operand& operand, std::uint32_t bytes)
{
  switch (operand.kind) {
    case Kind::reg:
      if (bytes_of(operand, 0) != bytes) throw Unsupported{"a register of another width"};
      read_register(slot, register_of(operand));
      return;
    case Kind::immediate:
      constant(slot, immediate_bits(operand, bytes), bytes);
      return;
    case Kind::special_register:
      use(slot, SlotUse::Kind::special,
          builder_.special(special_register(body().special_registers[operand.index]), bytes));
      return;
    case Kind::symbol:
      constant(slot, symbol(operand).offset, bytes);
      return;
    default:
      throw Unsupported{"an operand of this kind"};
  }
}

void InstructionBuilder::destination(std::uint32_t slot, const ptx::Operand& operand, std::uint32_t bytes)
{
  if (operand.kind == Kind::sink) {
    constexpr auto kTypes = std::array{ptx::Type::b16, ptx::Type::b32, ptx::Type::b64};
    write_register(slot, builder_.new_register(kTypes[bytes / 4], "_"));
    return;
  }
  if (bytes_of(operand, 0) != bytes) throw Unsupported{"a register of another width"};
  write_register(slot, register_of(operand));
}

void InstructionBuilder::predicate_source(std::uint32_t slot, const ptx::Operand& operand)
{
  if (operand.kind == Kind::immediate) {
    no_slot(slot);
    if (operand.bits == 0) instruction().a |= 1U << slot;
    return;
  }
  if (bytes_of(operand, 1) != 0) throw Unsupported{"an operand that must be a predicate"};
  if (operand.negated) instruction().a |= 1U << slot;
  read_register(slot, register_of(operand));
}

void InstructionBuilder::predicate_destination(std::uint32_t slot, const ptx::Operand& operand)
{
  if (operand.kind == Kind::sink) {
    write_register(slot, builder_.new_register(ptx::Type::pred, "_"));
    return;
  }
  if (bytes_of(operand, 1) != 0) throw Unsupported{"an operand that must be a predicate"};
  write_register(slot, register_of(operand));
}

Home InstructionBuilder::home_of(const ptx::Operand& operand) const
{
  switch (operand.symbol) {
    case ptx::SymbolKind::parameter:
      return frame().parameters[operand.index];
    case ptx::SymbolKind::return_parameter:
      return frame().return_parameters[operand.index];
    case ptx::SymbolKind::local_variable:
      return frame().variables[operand.index];
    case ptx::SymbolKind::module_variable:
      break;
    default:
      throw Unsupported{"a symbol of this kind"};
  }
  const auto index = static_cast<std::size_t>(operand.index);
  const auto shared = builder_.flat().shared_variables.find(index);
  if (shared != builder_.flat().shared_variables.end()) return shared->second;
  if (index >= builder_.options().variable_addresses.size()) throw Unsupported{"a variable of a module not loaded"};
  return {.space = builder_.module().variables[index].space, .offset = builder_.options().variable_addresses[index]};
}

Address InstructionBuilder::symbol(const ptx::Operand& operand) const
{
  Address found;
  found.has_symbol = true;
  found.offset = operand.bits;
  if (operand.symbol == ptx::SymbolKind::function) {
    found.space = StateSpace::global;
    found.offset += function_address(static_cast<std::size_t>(operand.index));
    return found;
  }
  const Home home = home_of(operand);
  found.space = space_of_home(home.space);
  found.offset += home.offset + (home.is_dynamic ? builder_.dynamic_shared_offset() : 0);
  return found;
}

Address InstructionBuilder::address(const ptx::Operand& operand) const
{
  if (operand.kind != Kind::address || operand.element_count != 0) throw Unsupported{"an address of this kind"};
  if (operand.base_kind == ptx::Operand::Base::symbol) return symbol(operand);
  Address found;
  found.offset = operand.bits;
  if (operand.base_kind == ptx::Operand::Base::reg) {
    found.reg = static_cast<std::int32_t>(frame().first_register) + operand.index;
    found.reg_bytes = register_bytes(body().registers[operand.index].type);
    if (found.reg_bytes != 4 && found.reg_bytes != 8) throw Unsupported{"an address register of this width"};
  }
  return found;
}

}  // namespace flashgate::gpu::decode
