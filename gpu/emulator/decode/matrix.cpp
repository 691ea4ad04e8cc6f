#include <array>

#include "gpu/emulator/decode/family.h"

namespace flashgate::gpu::decode {
namespace {

void require_aligned(InstructionBuilder& builder)
{
  if (!builder.modifiers().take("sync") || !builder.modifiers().take("aligned")) throw Unsupported{};
  builder.flow().kind = FlowKind::collective;
  builder.flow().aligned = true;
}

/// mma.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype
void decode_mma(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  require_aligned(builder);
  isa::Form form;
  form.operation = isa::Operation::mma;
  form.shape = modifiers.take_one<isa::Shape>({{"m16n8k4", isa::Shape::m16n8k4},
                                               {"m16n8k8", isa::Shape::m16n8k8},
                                               {"m16n8k16", isa::Shape::m16n8k16},
                                               {"m16n8k32", isa::Shape::m16n8k32}},
                                              isa::Shape::none);
  if (!modifiers.take("row") || !modifiers.take("col")) throw Unsupported{};
  form.satfinite = modifiers.take("satfinite");
  form.type = modifiers.take_type();
  form.other = modifiers.take_type();
  form.third = modifiers.take_type();
  if (modifiers.take_type() != form.type) throw Unsupported{};
  bind_form(builder, form, InstructionClass::matrix);
}

void decode_movmatrix(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  require_aligned(builder);
  if (!modifiers.take("m8n8") || !modifiers.take("trans")) throw Unsupported{};
  isa::Form form;
  form.operation = isa::Operation::movmatrix;
  form.type = modifiers.take_type();
  bind_form(builder, form, InstructionClass::matrix);
}

/// {ld,st}matrix.sync.aligned.m8n8.num{.trans}{.shared}.b16; modifiers come in either order.
template <bool kLoads>
void decode_matrix_access(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  require_aligned(builder);
  MemoryForm form;
  form.operation = kLoads ? MemoryOperation::load_matrix : MemoryOperation::store_matrix;
  form.space = modifiers.take("shared") || modifiers.take("shared::cta") ? StateSpace::shared : StateSpace::generic;
  form.count = modifiers.take_one<std::uint8_t>({{"x1", 1}, {"x2", 2}, {"x4", 4}}, 0);
  form.transposed = modifiers.take("trans");
  if (form.count == 0 || !modifiers.take("m8n8") || !modifiers.take("b16")) throw Unsupported{};
  bind_address(builder, form, builder.operand(kLoads ? 1 : 0));
  const ptx::Operand& data = builder.operand(kLoads ? 0 : 1);
  const auto elements =
      data.kind == ptx::Operand::Kind::vector ? builder.elements(data) : std::span<const ptx::Operand>(&data, 1);
  if (elements.size() != form.count) throw Unsupported{"a vector of another length"};
  for (std::uint32_t slot = 0; slot < form.count; ++slot) {
    if (kLoads) {
      builder.destination(slot, elements[slot], 4);
    } else {
      builder.source(slot, elements[slot], 4);
    }
  }
  builder.flow().is_progress = !kLoads;
  bind_memory(builder, form, InstructionClass::load_store_shared);
}

constexpr std::array kFamilies{Family{"mma", decode_mma}, Family{"movmatrix", decode_movmatrix},
                               Family{"ldmatrix", decode_matrix_access<true>},
                               Family{"stmatrix", decode_matrix_access<false>}};

}  // namespace

std::span<const Family> matrix_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
