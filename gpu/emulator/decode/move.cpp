#include <array>

#include "gpu/emulator/clock.h"
#include "gpu/emulator/decode/family.h"

namespace flashgate::gpu::decode {
namespace {

using Kind = ptx::Operand::Kind;

isa::Type bits_of(std::uint32_t bytes)
{
  switch (bytes) {
    case 2:
      return isa::Type::b16;
    case 4:
      return isa::Type::b32;
    case 8:
      return isa::Type::b64;
    default:
      throw Unsupported{"a register of this width"};
  }
}

std::uint32_t bytes_of(isa::Type type)
{
  switch (type) {
    case isa::Type::b16:
    case isa::Type::u16:
    case isa::Type::s16:
      return 2;
    case isa::Type::b64:
    case isa::Type::u64:
    case isa::Type::s64:
    case isa::Type::f64:
      return 8;
    default:
      return 4;
  }
}

/// The registers of a vector are of one width; immediates among them take it.
std::uint32_t element_bytes(const InstructionBuilder& builder, const ptx::Operand& vector, std::uint32_t whole)
{
  const auto elements = builder.elements(vector);
  if (elements.empty()) throw Unsupported{"an empty vector"};
  const auto bytes = static_cast<std::uint32_t>(whole / elements.size());
  return bytes == 1 ? 2 : bytes;
}

void decode_vector(InstructionBuilder& builder, isa::Type type)
{
  isa::Form form;
  const bool packs = builder.operand(1).kind == Kind::vector;
  form.operation = packs ? isa::Operation::pack : isa::Operation::unpack;
  form.type = bits_of(bytes_of(type));
  form.other = bits_of(element_bytes(builder, builder.operand(packs ? 1 : 0), bytes_of(type)));
  bind_form(builder, form, InstructionClass::move);
}

/// %clock and its like change from one read to the next.
bool decode_clock(InstructionBuilder& builder, isa::Type type)
{
  const ptx::Operand& from = builder.operand(1);
  if (from.kind != Kind::special_register) return false;
  const std::string_view name = builder.body().special_registers[from.index];
  if (!is_clock(name)) return false;
  builder.instruction().run = clock_handler(name, bytes_of(type));
  builder.set_class(InstructionClass::other);
  builder.destination(0, builder.operand(0), bytes_of(type));
  return true;
}

void decode_mov(InstructionBuilder& builder)
{
  const isa::Type type = builder.modifiers().take_type();
  if (type == isa::Type::none || builder.operands().size() != 2) throw Unsupported{};
  if (builder.operand(0).kind == Kind::vector || builder.operand(1).kind == Kind::vector) {
    return decode_vector(builder, type);
  }
  if (type != isa::Type::pred && decode_clock(builder, type)) return;
  isa::Form form;
  form.operation = isa::Operation::mov;
  form.type = type == isa::Type::pred ? type : bits_of(bytes_of(type));
  bind_form(builder, form, InstructionClass::move);
}

constexpr std::array kFamilies{Family{"mov", decode_mov}};

}  // namespace

std::span<const Family> move_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
