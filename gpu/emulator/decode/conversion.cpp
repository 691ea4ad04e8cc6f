#include <array>

#include "gpu/emulator/decode/family.h"
#include "gpu/emulator/decode/rounding.h"

namespace flashgate::gpu::decode {
namespace {

void decode_cvt(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  isa::Form form;
  form.operation = isa::Operation::cvt;
  form.rounding = take_rounding(modifiers);
  form.ftz = modifiers.take("ftz");
  form.saturate = modifiers.take("sat");
  form.relu = modifiers.take("relu");
  form.satfinite = modifiers.take("satfinite");
  form.type = modifiers.take_type();
  form.other = modifiers.take_type();
  // Registers may be wider than the types.
  form.register_bytes = static_cast<std::uint8_t>(builder.bytes_of(builder.operand(0), 0));
  form.source_register_bytes = static_cast<std::uint8_t>(builder.bytes_of(builder.operand(1), 0));
  bind_form(builder, form, InstructionClass::conversion);
}

constexpr std::array kFamilies{Family{"cvt", decode_cvt}};

}  // namespace

std::span<const Family> conversion_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
