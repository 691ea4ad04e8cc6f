#include <array>

#include "gpu/emulator/decode/memory_modifiers.h"

namespace flashgate::gpu::decode {
namespace {

using Kind = ptx::Operand::Kind;

void bind_source_address(InstructionBuilder& builder, const ptx::Operand& operand)
{
  const Address from = builder.address(operand);
  const auto offset = static_cast<std::int64_t>(from.offset);
  if (from.reg < 0) {
    builder.constant(0, from.offset, 8);
    return;
  }
  if (from.reg_bytes != 8 || offset != static_cast<std::int32_t>(offset))
    throw Unsupported{"a source address of this kind"};
  builder.read_register(0, static_cast<std::uint32_t>(from.reg));
  builder.instruction().b = static_cast<std::uint32_t>(offset);
}

/// cp.async.{ca,cg}.shared.global [to], [from], bytes {, src-size | ignore-src} {, policy}
void decode_copy(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  MemoryForm form;
  form.operation = MemoryOperation::copy_async;
  form.space = take_space(modifiers);
  if (form.space == StateSpace::global && take_space(modifiers) == StateSpace::shared) form.space = StateSpace::shared;
  if (form.space != StateSpace::shared) throw Unsupported{};
  modifiers.take("global");
  take_cache_hints(modifiers);
  const std::uint64_t bytes = builder.immediate(builder.operand(2));
  if (bytes != 4 && bytes != 8 && bytes != 16) throw Unsupported{};
  form.element_bytes = static_cast<std::uint8_t>(bytes);
  bind_source_address(builder, builder.operand(1));
  builder.no_slot(1);
  builder.no_slot(2);
  if (builder.operands().size() > 3) {
    const ptx::Operand& size = builder.operand(3);
    const std::uint32_t width = builder.bytes_of(size, 4);
    if (width == 0) {
      if (size.negated) throw Unsupported{"a negated ignore-src"};
      builder.read_register(2, builder.register_of(size));
    } else if (width == 4) {
      builder.source(1, size, 4);
    }
  }
  bind_address(builder, form, builder.operand(0));
  builder.flow().is_progress = true;
  bind_memory(builder, form, InstructionClass::async_copy);
}

void decode_cp(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  if (!modifiers.take("async")) throw Unsupported{};
  MemoryForm form;
  if (modifiers.take("commit_group")) {
    form.operation = MemoryOperation::copy_commit;
  } else if (modifiers.take("wait_group")) {
    form.operation = MemoryOperation::copy_wait_group;
    builder.instruction().immediate = builder.immediate(builder.operand(0));
  } else if (modifiers.take("wait_all")) {
    form.operation = MemoryOperation::copy_wait_all;
  } else {
    return decode_copy(builder);
  }
  bind_memory(builder, form, InstructionClass::async_copy);
}

constexpr std::array kFamilies{Family{"cp", decode_cp}};

}  // namespace

std::span<const Family> async_copy_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
