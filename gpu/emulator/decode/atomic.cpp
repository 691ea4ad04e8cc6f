#include <array>

#include "gpu/emulator/decode/memory_modifiers.h"

namespace flashgate::gpu::decode {
namespace {

AtomicOperation take_operation(Modifiers& modifiers)
{
  using A = AtomicOperation;
  constexpr std::array<std::pair<std::string_view, A>, 10> kNames{{{"add", A::add},
                                                                   {"min", A::min},
                                                                   {"max", A::max},
                                                                   {"inc", A::inc},
                                                                   {"dec", A::dec},
                                                                   {"and", A::bit_and},
                                                                   {"or", A::bit_or},
                                                                   {"xor", A::bit_xor},
                                                                   {"exch", A::exchange},
                                                                   {"cas", A::cas}}};
  for (const auto& name : kNames) {
    if (modifiers.take(name.first)) return name.second;
  }
  throw Unsupported{};
}

AtomicType atomic_type(ptx::Type type, AtomicOperation operation)
{
  if (operation >= AtomicOperation::bit_and) return AtomicType::bits;
  switch (type) {
    case ptx::Type::u32:
    case ptx::Type::u64:
      return AtomicType::unsigned_integer;
    case ptx::Type::s32:
    case ptx::Type::s64:
      return AtomicType::signed_integer;
    case ptx::Type::f16:
      return AtomicType::f16;
    case ptx::Type::bf16:
      return AtomicType::bf16;
    case ptx::Type::f16x2:
      return AtomicType::f16x2;
    case ptx::Type::bf16x2:
      return AtomicType::bf16x2;
    case ptx::Type::f32:
      return AtomicType::f32;
    case ptx::Type::f64:
      return AtomicType::f64;
    default:
      throw Unsupported{};
  }
}

MemoryForm read_form(InstructionBuilder& builder, MemoryOperation operation)
{
  Modifiers& modifiers = builder.modifiers();
  MemoryForm form;
  form.operation = operation;
  take_semantics(modifiers, form, Semantics::relaxed);
  form.space = take_space(modifiers);
  form.atomic = take_operation(modifiers);
  modifiers.take("noftz");
  take_cache_hints(modifiers);
  form.count = take_vector(modifiers);
  const ptx::Type type = modifiers.take_ptx_type();
  const int bytes = ptx::size_in_bytes(type);
  if (bytes != 2 && bytes != 4 && bytes != 8) throw Unsupported{};
  form.element_bytes = static_cast<std::uint8_t>(bytes);
  form.register_bytes = form.element_bytes;
  form.type = atomic_type(type, form.atomic);
  return form;
}

void bind_operands(InstructionBuilder& builder, const MemoryForm& form, std::size_t first)
{
  const auto elements = data_elements(builder, builder.operand(first));
  if (elements.size() != form.count) throw Unsupported{"a vector of another length"};
  for (std::uint32_t place = 0; place < form.count; ++place) {
    builder.source(form.count + place, elements[place], form.register_bytes);
  }
  if (form.atomic == AtomicOperation::cas) {
    builder.source(2U * form.count, builder.operand(first + 1), form.register_bytes);
  }
}

void decode_atom(InstructionBuilder& builder)
{
  MemoryForm form = read_form(builder, MemoryOperation::atomic);
  const auto old = data_elements(builder, builder.operand(0));
  if (old.size() != form.count) throw Unsupported{"a vector of another length"};
  for (std::uint32_t slot = 0; slot < form.count; ++slot) {
    if (old[slot].kind == ptx::Operand::Kind::sink) {
      builder.no_slot(slot);
    } else {
      builder.destination(slot, old[slot], form.register_bytes);
    }
  }
  bind_address(builder, form, builder.operand(1));
  bind_operands(builder, form, 2);
  builder.flow().is_poll = true;
  bind_memory(builder, form, InstructionClass::atomic);
  builder.builder().note_atomic(form);
}

void decode_red(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  if (modifiers.take("async")) throw Unsupported{};
  MemoryForm form = read_form(builder, MemoryOperation::reduce);
  for (std::uint32_t slot = 0; slot < form.count; ++slot)
    builder.no_slot(slot);
  bind_address(builder, form, builder.operand(0));
  bind_operands(builder, form, 1);
  builder.flow().is_progress = true;
  bind_memory(builder, form, InstructionClass::atomic);
}

constexpr std::array kFamilies{Family{"atom", decode_atom}, Family{"red", decode_red}};

}  // namespace

std::span<const Family> atomic_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
