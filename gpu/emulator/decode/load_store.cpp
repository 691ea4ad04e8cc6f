#include <algorithm>
#include <array>

#include "gpu/emulator/decode/memory_modifiers.h"

namespace flashgate::gpu::decode {
namespace {

bool is_signed(ptx::Type type) { return type == ptx::Type::s8 || type == ptx::Type::s16 || type == ptx::Type::s32; }

MemoryForm read_form(InstructionBuilder& builder, MemoryOperation operation)
{
  Modifiers& modifiers = builder.modifiers();
  MemoryForm form;
  form.operation = operation;
  take_semantics(modifiers, form, Semantics::weak);
  form.space = take_space(modifiers);
  take_cache_hints(modifiers);
  form.count = take_vector(modifiers);
  const ptx::Type type = modifiers.take_ptx_type();
  const int bytes = ptx::size_in_bytes(type);
  if (type == ptx::Type::pred || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)) throw Unsupported{};
  form.element_bytes = static_cast<std::uint8_t>(bytes);
  form.sign_extend = operation == MemoryOperation::load && is_signed(type);
  return form;
}

/// Registers may be wider than what is in memory; all of a vector are alike.
void set_register_bytes(const InstructionBuilder& builder, MemoryForm& form, std::span<const ptx::Operand> elements)
{
  if (elements.size() != form.count) throw Unsupported{"a vector of another length"};
  std::uint32_t bytes = 0;
  for (const ptx::Operand& element : elements) {
    const std::uint32_t own = builder.bytes_of(element, 0);
    if (bytes != 0 && own != 0 && own != bytes) throw Unsupported{"registers of different widths"};
    bytes = std::max(bytes, own);
  }
  if (bytes == 0) bytes = std::max<std::uint32_t>(2, form.element_bytes);
  if (bytes < form.element_bytes || bytes > 8) throw Unsupported{"a register of another width"};
  form.register_bytes = static_cast<std::uint8_t>(bytes);
}

void decode_ld(InstructionBuilder& builder)
{
  MemoryForm form = read_form(builder, MemoryOperation::load);
  const auto elements = data_elements(builder, builder.operand(0));
  set_register_bytes(builder, form, elements);
  form.sign_extend = form.sign_extend && form.register_bytes > form.element_bytes;
  for (std::uint32_t slot = 0; slot < form.count; ++slot) {
    if (elements[slot].kind == ptx::Operand::Kind::sink) {
      builder.no_slot(slot);
    } else {
      builder.destination(slot, elements[slot], form.register_bytes);
    }
  }
  bind_address(builder, form, builder.operand(1));
  builder.flow().is_poll = form.space <= StateSpace::global;
  bind_memory(builder, form, class_of(form.space));
}

void decode_st(InstructionBuilder& builder)
{
  MemoryForm form = read_form(builder, MemoryOperation::store);
  const auto elements = data_elements(builder, builder.operand(1));
  set_register_bytes(builder, form, elements);
  for (std::uint32_t slot = 0; slot < form.count; ++slot)
    builder.source(slot, elements[slot], form.register_bytes);
  bind_address(builder, form, builder.operand(0));
  builder.flow().is_progress = form.space != StateSpace::local;
  bind_memory(builder, form, class_of(form.space));
}

constexpr std::array kFamilies{Family{"ld", decode_ld}, Family{"ldu", decode_ld}, Family{"st", decode_st}};

}  // namespace

std::span<const Family> load_store_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
