#include "gpu/emulator/decode/memory_modifiers.h"

namespace flashgate::gpu::decode {

StateSpace take_space(Modifiers& modifiers)
{
  // A cluster is one block here, so its shared memory is the block's.
  return modifiers.take_one<StateSpace>({{"global", StateSpace::global},
                                         {"shared", StateSpace::shared},
                                         {"shared::cta", StateSpace::shared},
                                         {"shared::cluster", StateSpace::shared},
                                         {"local", StateSpace::local},
                                         {"const", StateSpace::constant},
                                         {"param", StateSpace::param},
                                         {"param::entry", StateSpace::param},
                                         {"param::func", StateSpace::param}},
                                        StateSpace::generic);
}

void take_semantics(Modifiers& modifiers, MemoryForm& form, Semantics otherwise)
{
  if (modifiers.take("volatile")) {
    form.semantics = Semantics::relaxed;
    form.scope = Scope::sys;
    return;
  }
  form.semantics = modifiers.take_one<Semantics>({{"weak", Semantics::weak},
                                                  {"relaxed", Semantics::relaxed},
                                                  {"acquire", Semantics::acquire},
                                                  {"release", Semantics::release},
                                                  {"acq_rel", Semantics::acq_rel}},
                                                 otherwise);
  modifiers.take("mmio");
  form.scope = modifiers.take_one<Scope>(
      {{"cta", Scope::cta}, {"cluster", Scope::cluster}, {"gpu", Scope::gpu}, {"sys", Scope::sys}}, Scope::gpu);
}

bool take_cache_hints(Modifiers& modifiers)
{
  for (const char* name : {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "unified"})
    modifiers.take(name);
  for (const char* prefix : {"L1::evict", "L1::no_allocate", "L2::evict", "L2::64B", "L2::128B", "L2::256B"}) {
    modifiers.take_prefix(prefix);
  }
  return modifiers.take_prefix("L2::cache_hint") || modifiers.take_prefix("level::cache_hint");
}

std::uint8_t take_vector(Modifiers& modifiers)
{
  return modifiers.take_one<std::uint8_t>({{"v2", 2}, {"v4", 4}, {"v8", 8}}, 1);
}

std::span<const ptx::Operand> data_elements(const InstructionBuilder& builder, const ptx::Operand& operand)
{
  if (operand.kind == ptx::Operand::Kind::vector) return builder.elements(operand);
  return {&operand, 1};
}

InstructionClass class_of(StateSpace space)
{
  switch (space) {
    case StateSpace::shared:
      return InstructionClass::load_store_shared;
    case StateSpace::global:
    case StateSpace::generic:
      return InstructionClass::load_store_global;
    default:
      return InstructionClass::load_store_other;
  }
}

}  // namespace flashgate::gpu::decode
