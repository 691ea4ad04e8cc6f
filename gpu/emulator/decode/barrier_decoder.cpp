#include <array>

#include "gpu/emulator/barrier.h"
#include "gpu/emulator/decode/family.h"
#include "gpu/emulator/rendezvous.h"

namespace flashgate::gpu::decode {
namespace {

void decode_warp_sync(InstructionBuilder& builder)
{
  if (!builder.modifiers().take("sync") || !builder.modifiers().all_taken()) throw Unsupported{};
  const ptx::Operand& members = builder.operand(0);
  builder.instruction().run = sync_lanes;
  builder.flow().kind = FlowKind::collective;
  builder.set_class(InstructionClass::warp);
  if (members.kind == ptx::Operand::Kind::immediate && static_cast<isa::LaneMask>(members.bits) == isa::kAllLanes) {
    return;
  }
  builder.source(kMembersSlot, members, 4);
}

/// The result and the predicate of bar.red; the operands between them are the number and the count.
std::span<const ptx::Operand> bind_reduction(InstructionBuilder& builder, BarrierOperation operation)
{
  const auto operands = builder.operands();
  if (operands.size() < 3) throw Unsupported{"too few operands"};
  if (operation == BarrierOperation::red_popc) {
    builder.destination(2, operands[0], 4);
  } else {
    builder.predicate_destination(2, operands[0]);
  }
  const ptx::Operand& predicate = operands.back();
  if (builder.bytes_of(predicate, 1) != 0) throw Unsupported{"an operand that must be a predicate"};
  builder.read_register(3, builder.register_of(predicate));
  if (predicate.negated) builder.instruction().a |= kBarrierNegated;
  return operands.subspan(1, operands.size() - 2);
}

BarrierOperation take_operation(Modifiers& modifiers)
{
  if (modifiers.take("sync")) return BarrierOperation::sync;
  if (modifiers.take("arrive")) return BarrierOperation::arrive;
  if (!modifiers.take("red")) throw Unsupported{};
  if (modifiers.take("popc")) {
    modifiers.take("u32");
    return BarrierOperation::red_popc;
  }
  const BarrierOperation operation = modifiers.take("and") ? BarrierOperation::red_and : BarrierOperation::red_or;
  modifiers.take("or");
  modifiers.take("pred");
  return operation;
}

template <bool kAligned>
void decode_barrier(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  if (modifiers.take("warp")) return decode_warp_sync(builder);
  modifiers.take("cta");
  builder.flow().kind = FlowKind::barrier;
  builder.set_class(InstructionClass::barrier);
  const BarrierOperation operation = take_operation(modifiers);
  builder.flow().aligned = modifiers.take("aligned") || kAligned;
  if (!modifiers.all_taken()) throw Unsupported{};
  builder.instruction().a = static_cast<std::uint32_t>(operation);
  auto rest = builder.operands();
  if (operation >= BarrierOperation::red_popc) rest = bind_reduction(builder, operation);
  if (rest.empty() || rest.size() > 2) throw Unsupported{"another number of operands"};
  builder.source(0, rest[0], 4);
  if (rest.size() == 2) {
    builder.source(1, rest[1], 4);
  } else {
    builder.no_slot(1);
  }
}

constexpr std::array kFamilies{Family{"bar", decode_barrier<true>}, Family{"barrier", decode_barrier<false>}};

}  // namespace

std::span<const Family> barrier_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
