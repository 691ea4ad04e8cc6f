#include <array>

#include "gpu/emulator/decode/family.h"

namespace flashgate::gpu::decode {
namespace {

using Kind = ptx::Operand::Kind;
using isa::Mode;
using isa::Operation;

void require_sync(Modifiers& modifiers)
{
  if (!modifiers.take("sync")) throw Unsupported{"without .sync"};
}

/// Marks the instruction as one for all lanes of the mask that is its last operand.
void set_members(InstructionBuilder& builder, const ptx::Operand& members)
{
  builder.flow().kind = FlowKind::collective;
  if (members.kind == Kind::immediate && static_cast<isa::LaneMask>(members.bits) == isa::kAllLanes) return;
  // The operand is a slot as well, and read there.
  if (members.kind == Kind::immediate) {
    builder.constant(kMembersSlot, members.bits, 4);
  } else {
    builder.read_register(kMembersSlot, builder.register_of(members));
  }
}

void bind_collective(InstructionBuilder& builder, const isa::Form& form)
{
  bind_form(builder, form, InstructionClass::warp);
  set_members(builder, builder.operands().back());
}

void decode_shfl(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  require_sync(modifiers);
  isa::Form form;
  form.operation = Operation::shfl;
  form.mode = modifiers.take_one<Mode>(
      {{"up", Mode::up}, {"down", Mode::down}, {"bfly", Mode::bfly}, {"idx", Mode::idx}}, Mode::none);
  form.type = modifiers.take_type();
  bind_collective(builder, form);
  builder.flow().shuffle = form.mode;
}

void decode_vote(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  require_sync(modifiers);
  isa::Form form;
  form.operation = Operation::vote;
  form.mode = modifiers.take_one<Mode>(
      {{"all", Mode::all}, {"any", Mode::any}, {"uni", Mode::uni}, {"ballot", Mode::ballot}}, Mode::none);
  form.type = modifiers.take_type();
  bind_collective(builder, form);
}

void decode_match(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  const bool all = modifiers.take("all");
  if (!all && !modifiers.take("any")) throw Unsupported{};
  require_sync(modifiers);
  isa::Form form;
  form.operation = all ? Operation::match_all : Operation::match_any;
  form.type = modifiers.take_type();
  bind_collective(builder, form);
}

void decode_redux(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  require_sync(modifiers);
  isa::Form form;
  form.operation = Operation::redux;
  form.mode = modifiers.take_one<Mode>({{"add", Mode::redux_add},
                                        {"min", Mode::redux_min},
                                        {"max", Mode::redux_max},
                                        {"and", Mode::redux_and},
                                        {"or", Mode::redux_or},
                                        {"xor", Mode::redux_xor}},
                                       Mode::none);
  form.type = modifiers.take_type();
  bind_collective(builder, form);
}

void decode_activemask(InstructionBuilder& builder)
{
  isa::Form form;
  form.operation = Operation::activemask;
  form.type = builder.modifiers().take_type();
  bind_form(builder, form, InstructionClass::warp);
}

constexpr std::array kFamilies{Family{"shfl", decode_shfl}, Family{"vote", decode_vote}, Family{"match", decode_match},
                               Family{"redux", decode_redux}, Family{"activemask", decode_activemask}};

}  // namespace

std::span<const Family> warp_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
