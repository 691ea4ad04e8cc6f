#include <array>

#include "gpu/emulator/builtins.h"
#include "gpu/emulator/decode/family.h"

namespace flashgate::gpu::decode {
namespace {

void decode_bra(InstructionBuilder& builder)
{
  builder.modifiers().take("uni");
  if (!builder.modifiers().all_taken() || builder.flat().targets.size() != 1) throw Unsupported{};
  builder.flow().kind = FlowKind::branch;
  builder.instruction().target = builder.flat().targets.front();
  builder.set_class(InstructionClass::branch);
}

void decode_brx(InstructionBuilder& builder)
{
  if (!builder.modifiers().take("idx")) throw Unsupported{};
  builder.modifiers().take("uni");
  if (!builder.modifiers().all_taken() || builder.flat().targets.empty()) throw Unsupported{};
  builder.flow().kind = FlowKind::branch_table;
  builder.source(0, builder.operand(0), 4);
  auto& tables = builder.builder().program().branch_tables;
  builder.instruction().immediate = tables.size();
  tables.push_back(builder.flat().targets);
  builder.set_class(InstructionClass::branch);
}

void decode_exit(InstructionBuilder& builder)
{
  builder.modifiers().take("uni");
  if (!builder.modifiers().all_taken()) throw Unsupported{};
  builder.flow().kind = FlowKind::exit;
  builder.flow().is_progress = true;
  builder.set_class(InstructionClass::branch);
}

void decode_trap(InstructionBuilder& builder)
{
  builder.instruction().run = trap;
  builder.set_class(InstructionClass::other);
}

void decode_brkpt(InstructionBuilder& builder)
{
  builder.instruction().run = do_nothing;
  builder.set_class(InstructionClass::other);
}

void decode_nanosleep(InstructionBuilder& builder)
{
  builder.instruction().run = do_nothing;
  builder.flow().kind = FlowKind::yield;
  builder.set_class(InstructionClass::other);
}

/// Where the caller put argument `place` of the call: an offset in local memory.
std::uint64_t argument_home(InstructionBuilder& builder, std::size_t list, std::size_t place)
{
  const auto arguments = builder.elements(builder.operand(list));
  if (place >= arguments.size() || arguments[place].symbol != ptx::SymbolKind::local_variable) {
    throw Unsupported{"an argument of this kind"};
  }
  return builder.frame().variables[arguments[place].index].offset;
}

/// call (result), vprintf, (format, arguments)
void decode_print(InstructionBuilder& builder)
{
  builder.instruction().run = print;
  builder.instruction().immediate = argument_home(builder, 2, 0);
  builder.instruction().a = static_cast<std::uint32_t>(argument_home(builder, 2, 1));
  const bool has_result = !builder.elements(builder.operand(0)).empty();
  builder.instruction().b = has_result ? static_cast<std::uint32_t>(argument_home(builder, 0, 0)) : isa::kNoSlot;
}

/// call __assertfail, (message, file, line, function, char size)
void decode_assert(InstructionBuilder& builder)
{
  builder.instruction().run = fail_assertion;
  builder.instruction().immediate = argument_home(builder, 2, 0);
  builder.instruction().a = static_cast<std::uint32_t>(argument_home(builder, 2, 1));
  builder.instruction().b = static_cast<std::uint32_t>(argument_home(builder, 2, 2));
  builder.instruction().slot[0] = static_cast<std::uint32_t>(argument_home(builder, 2, 3));
}

/// Only what the engine provides is still a call here.
void decode_call(InstructionBuilder& builder)
{
  builder.set_class(InstructionClass::other);
  const std::string_view name = builder.builder().module().functions[builder.operand(1).index].name;
  if (name == "vprintf") return decode_print(builder);
  if (name == "__assertfail") return decode_assert(builder);
  throw Unsupported{"call of " + std::string(name)};
}

constexpr std::array kFamilies{
    Family{"bra", decode_bra},   Family{"brx", decode_brx},
    Family{"ret", decode_exit},  Family{"exit", decode_exit},
    Family{"trap", decode_trap}, Family{"brkpt", decode_brkpt},
    Family{"call", decode_call}, Family{"nanosleep", decode_nanosleep},
};

}  // namespace

std::span<const Family> control_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
