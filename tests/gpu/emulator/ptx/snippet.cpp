#include "tests/gpu/emulator/ptx/snippet.h"

#include <fmt/format.h>

#include "reference/error.h"

namespace flashgate::gpu::ptx {
namespace {

constexpr std::string_view kHeading = ".version 8.5\n.target sm_90a\n.address_size 64\n";

std::string register_name(const FunctionBody& body, std::int32_t index)
{
  return index == kNone ? "_" : name_of(body.registers.at(static_cast<std::size_t>(index)));
}

std::string symbol_text(const ParsedBody& parsed, const Operand& operand)
{
  const auto index = static_cast<std::size_t>(operand.index);
  const Function& function = parsed.module.functions.at(parsed.body.function);
  switch (operand.symbol) {
    case SymbolKind::parameter:
      return fmt::format("p:{}", function.parameters.at(index).name);
    case SymbolKind::return_parameter:
      return fmt::format("q:{}", function.return_parameters.at(index).name);
    case SymbolKind::local_variable:
      return fmt::format("l:{}", parsed.body.variables.at(index).name);
    case SymbolKind::module_variable:
      return fmt::format("m:{}", parsed.module.variables.at(index).name);
    case SymbolKind::function:
      return fmt::format("fn:{}", parsed.module.functions.at(index).name);
    case SymbolKind::branch_targets:
      return fmt::format("bt:{}", parsed.body.branch_targets.at(index).name);
    case SymbolKind::call_targets:
      return fmt::format("ct:{}", parsed.body.call_targets.at(index).name);
    case SymbolKind::call_prototype:
      return fmt::format("cp:{}", parsed.body.call_prototypes.at(index).name);
    case SymbolKind::none:
      break;
  }
  return "unresolved";
}

std::string offset_text(const Operand& operand)
{
  return operand.offset() == 0 ? "" : fmt::format("{:+}", operand.offset());
}

std::string immediate_text(const Operand& operand)
{
  switch (operand.form) {
    case NumberForm::integer:
      return fmt::format("i:{}", static_cast<std::int64_t>(operand.bits));
    case NumberForm::unsigned_integer:
      return fmt::format("u:{}", operand.bits);
    case NumberForm::f32:
      return fmt::format("f:{:08x}", operand.bits);
    case NumberForm::f64:
      return fmt::format("d:{:016x}", operand.bits);
  }
  return "?";
}

std::string operand_text(const ParsedBody& parsed, const Operand& operand);

std::string elements_text(const ParsedBody& parsed, const Operand& operand)
{
  std::string text;
  for (const Operand& element : parsed.body.elements_of(operand)) {
    text += (text.empty() ? "" : " ") + operand_text(parsed, element);
  }
  return text;
}

std::string address_text(const ParsedBody& parsed, const Operand& operand)
{
  std::string base;
  if (operand.base_kind == Operand::Base::reg) base = register_name(parsed.body, operand.index);
  if (operand.base_kind == Operand::Base::symbol) base = symbol_text(parsed, operand);
  const std::string elements = elements_text(parsed, operand);
  return "[" + base + offset_text(operand) + (elements.empty() ? "" : " ") + elements + "]";
}

std::string operand_text(const ParsedBody& parsed, const Operand& operand)
{
  const std::string second = operand.second == kNone ? "" : "|" + register_name(parsed.body, operand.second);
  switch (operand.kind) {
    case Operand::Kind::sink:
      return "_" + second;
    case Operand::Kind::reg:
      return (operand.negated ? "!r:" : "r:") + register_name(parsed.body, operand.index) + second;
    case Operand::Kind::special_register:
      return fmt::format("s:{}", parsed.body.special_registers.at(static_cast<std::size_t>(operand.index)));
    case Operand::Kind::immediate:
      return immediate_text(operand);
    case Operand::Kind::symbol:
      return symbol_text(parsed, operand) + offset_text(operand);
    case Operand::Kind::address:
      return address_text(parsed, operand);
    case Operand::Kind::vector:
      return "{" + elements_text(parsed, operand) + "}";
    case Operand::Kind::label:
      return fmt::format("@{}", operand.index);
  }
  return "?";
}

}  // namespace

Module module_of(std::string_view text) { return parse_module(std::string(kHeading) + std::string(text), "x.ptx"); }

ParsedBody body_of(std::string_view statements, std::string_view globals)
{
  Module module = module_of(fmt::format("{} .visible .entry k(.param .u64 pa, .param .align 8 .b8 pb[24]) {{\n{}\n}}\n",
                                        globals, statements));
  FunctionBody body = parse_body(module, module.function_index.at("k"));
  return {std::move(module), std::move(body)};
}

std::string text_of(const ParsedBody& parsed)
{
  std::string text;
  for (const Instruction& instruction : parsed.body.instructions) {
    if (!text.empty()) text += '\n';
    if (instruction.guard != kNone) {
      text += (instruction.guard_negated ? "[!" : "[") + register_name(parsed.body, instruction.guard) + "] ";
    }
    text += parsed.body.opcodes.at(instruction.opcode).text;
    for (const Operand& operand : parsed.body.operands_of(instruction)) {
      text += " " + operand_text(parsed, operand);
    }
  }
  return text;
}

void parse_all(const std::string& text)
{
  const Module module = parse_module(text, "x.ptx");
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].has_body) parse_body(module, i);
  }
}

std::string error_of(const std::string& text)
{
  try {
    parse_all(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace flashgate::gpu::ptx
