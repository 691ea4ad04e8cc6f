#include <array>

#include "gpu/emulator/decode/memory_modifiers.h"

namespace flashgate::gpu::decode {
namespace {

/// The address is a register or a symbol, not in brackets.
void bind_plain_address(InstructionBuilder& builder, MemoryForm& form, const ptx::Operand& operand)
{
  if (operand.kind == ptx::Operand::Kind::symbol || operand.kind == ptx::Operand::Kind::immediate) {
    builder.no_slot(kAddressSlot);
    builder.instruction().immediate =
        operand.kind == ptx::Operand::Kind::symbol ? builder.symbol(operand).offset : operand.bits;
    form.address_bytes = 8;
    return;
  }
  form.address_bytes = static_cast<std::uint8_t>(builder.bytes_of(operand, 0));
  if (form.address_bytes != 4 && form.address_bytes != 8) throw Unsupported{"an address of this kind"};
  builder.read_register(kAddressSlot, builder.register_of(operand));
}

StateSpace param_of(const InstructionBuilder& builder, StateSpace space)
{
  return space == StateSpace::param && builder.frame().caller >= 0 ? StateSpace::local : space;
}

void decode_cvta(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  MemoryForm form;
  form.operation = modifiers.take("to") ? MemoryOperation::from_generic : MemoryOperation::to_generic;
  form.space = param_of(builder, take_space(modifiers));
  const isa::Type type = modifiers.take_type();
  if (type != isa::Type::u64 && type != isa::Type::u32) throw Unsupported{};
  form.register_bytes = type == isa::Type::u64 ? 8 : 4;
  builder.destination(0, builder.operand(0), form.register_bytes);
  bind_plain_address(builder, form, builder.operand(1));
  bind_memory(builder, form, InstructionClass::move);
}

void decode_isspacep(InstructionBuilder& builder)
{
  MemoryForm form;
  form.operation = MemoryOperation::is_space;
  form.space = param_of(builder, take_space(builder.modifiers()));
  builder.predicate_destination(0, builder.operand(0));
  bind_plain_address(builder, form, builder.operand(1));
  bind_memory(builder, form, InstructionClass::predicate);
}

constexpr std::array kFamilies{Family{"cvta", decode_cvta}, Family{"isspacep", decode_isspacep}};

}  // namespace

std::span<const Family> address_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
