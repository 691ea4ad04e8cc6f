#include <array>

#include "gpu/emulator/decode/memory_modifiers.h"

namespace flashgate::gpu::decode {
namespace {

/// What only advises the hardware.
void decode_nothing(InstructionBuilder& builder)
{
  MemoryForm form;
  form.operation = MemoryOperation::nothing;
  // Whatever the modifiers are, nothing follows from them.
  while (builder.modifiers().take_prefix("")) {
  }
  bind_memory(builder, form, InstructionClass::other);
}

void decode_fence(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  if (modifiers.take_prefix("proxy") || modifiers.take_prefix("mbarrier_init")) return decode_nothing(builder);
  MemoryForm form;
  form.operation = MemoryOperation::fence;
  modifiers.take("sc");
  take_semantics(modifiers, form, Semantics::acq_rel);
  form.semantics = Semantics::acq_rel;
  bind_memory(builder, form, InstructionClass::other);
}

void decode_membar(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  if (modifiers.take_prefix("proxy")) return decode_nothing(builder);
  MemoryForm form;
  form.operation = MemoryOperation::fence;
  form.semantics = Semantics::acq_rel;
  form.scope = modifiers.take_one<Scope>({{"cta", Scope::cta}, {"gl", Scope::gpu}, {"sys", Scope::sys}}, Scope::gpu);
  bind_memory(builder, form, InstructionClass::other);
}

/// The policy is a number that nobody looks at.
void decode_createpolicy(InstructionBuilder& builder)
{
  while (builder.modifiers().take_prefix("")) {
  }
  isa::Form form;
  form.operation = isa::Operation::mov;
  form.type = isa::Type::b64;
  ptx::Operand policy;
  policy.kind = ptx::Operand::Kind::immediate;
  const std::array operands{builder.operand(0), policy};
  bind_form(builder, form, InstructionClass::other, operands);
}

constexpr std::array kFamilies{
    Family{"fence", decode_fence},        Family{"membar", decode_membar},
    Family{"prefetch", decode_nothing},   Family{"prefetchu", decode_nothing},
    Family{"discard", decode_nothing},    Family{"applypriority", decode_nothing},
    Family{"pmevent", decode_nothing},    Family{"griddepcontrol", decode_nothing},
    Family{"setmaxnreg", decode_nothing}, Family{"createpolicy", decode_createpolicy},
};

}  // namespace

std::span<const Family> hint_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
