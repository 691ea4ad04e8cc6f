#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "gpu/emulator/ptx/cursor.h"
#include "gpu/emulator/ptx/location_reader.h"
#include "gpu/emulator/ptx/module.h"
#include "gpu/emulator/ptx/name_resolver.h"
#include "gpu/emulator/ptx/number.h"
#include "gpu/emulator/ptx/operand_reader.h"
#include "gpu/emulator/ptx/scopes.h"
#include "gpu/emulator/ptx/variable_reader.h"

namespace flashgate::gpu::ptx {
namespace {

/// Registers of one function. The largest kernels known have some ten thousand; `%r<999999999>` must not take memory.
constexpr std::size_t kMostRegisters = std::size_t{1} << 20;
constexpr int kDeepestScope = 256;

std::vector<std::string_view> split_at_dots(std::string_view text)
{
  std::vector<std::string_view> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t dot = std::min(text.find('.', first), text.size());
    parts.push_back(text.substr(first, dot - first));
    first = dot + 1;
  }
  return parts;
}

class BodyParser
{
 public:
  BodyParser(const Module& module, std::size_t function)
      : function_(module.functions[function]),
        cursor_(function_.body, function_.body_line, module.file_name),
        names_(module, body_),
        operands_(cursor_, body_, scopes_, names_),
        locations_(module, body_.locations),
        initial_room_(initial_room(function_.body))
  {
    body_.function = function;
  }

  FunctionBody parse()
  {
    declare_parameters(function_.return_parameters, SymbolKind::return_parameter);
    declare_parameters(function_.parameters, SymbolKind::parameter);
    cursor_.expect('{');
    open();
    while (depth_ > 0) {
      statement();
    }
    names_.resolve();
    return std::move(body_);
  }

 private:
  void open()
  {
    if (++depth_ > kDeepestScope) cursor_.fail_expected("at most " + std::to_string(kDeepestScope) + " open '{'");
    scopes_.open();
    names_.open_scope();
  }

  void close()
  {
    --depth_;
    scopes_.close();
    names_.close_scope();
  }

  void statement()
  {
    switch (cursor_.peek()) {
      case '{':
        cursor_.advance(1);
        return open();
      case '}':
        cursor_.advance(1);
        return close();
      case ';':
        return cursor_.advance(1);
      case '.':
        return directive();
      default:
        return label_or_instruction();
    }
  }

  void directive()
  {
    const std::uint32_t line = cursor_.line();
    const std::string_view word = cursor_.dotted_word();
    if (word.empty()) cursor_.fail_expected("a directive");
    if (word == ".loc") {
      const std::int32_t location = locations_.read(cursor_);
      if (location != kNone) location_ = location;
    } else if (word == ".reg") {
      registers();
    } else if (word == ".local" || word == ".shared" || word == ".param" || word == ".global" || word == ".const") {
      variables(space_named(word.substr(1)));
    } else {
      if (word != ".pragma") body_.skipped.push_back({word, line});
      cursor_.skip_arguments(false);
    }
  }

  std::int32_t add_registers(std::string_view name, std::int32_t number, Type type, int width)
  {
    const auto first = static_cast<std::int32_t>(body_.registers.size());
    body_.registers.insert(body_.registers.end(), static_cast<std::size_t>(width), {name, number, type});
    return first;
  }

  void declare_parameters(const std::vector<Variable>& parameters, SymbolKind kind)
  {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Variable& parameter = parameters[i];
      if (parameter.name.empty()) continue;
      if (parameter.space == StateSpace::reg) {
        const std::int32_t first = add_registers(parameter.name, kNone, parameter.type, parameter.vector);
        scopes_.declare(cursor_, parameter.name, {.width = parameter.vector, .index = first});
      } else {
        scopes_.declare(cursor_, parameter.name, symbol(kind, i));
      }
    }
  }

  static Meaning symbol(SymbolKind kind, std::size_t index)
  {
    return {.is_register = false, .symbol = kind, .index = static_cast<std::int32_t>(index)};
  }

  /// `.v2 .b32 %v, %r<100>;` behind `.reg`.
  void registers()
  {
    std::string_view word = cursor_.dotted_word();
    const int width = word == ".v2" ? 2 : word == ".v4" ? 4 : 1;
    if (width > 1) word = cursor_.dotted_word();
    const Type type = word.empty() ? Type::none : type_named(word.substr(1));
    if (type == Type::none) cursor_.fail_expected("the type of a register in front of this");
    do {
      register_or_range(type, width);
    } while (cursor_.accept(','));
    cursor_.expect(';');
  }

  void register_or_range(Type type, int width)
  {
    const std::string_view name = cursor_.identifier("the name of a register");
    const bool is_range = cursor_.accept('<');
    const std::size_t room =
        (kMostRegisters - std::min(kMostRegisters, body_.registers.size())) / static_cast<std::size_t>(width);
    if (room == 0) cursor_.fail_expected("at most 2^20 registers in a function");
    if (!is_range) {
      return scopes_.declare(cursor_, name, {.width = width, .index = add_registers(name, kNone, type, width)});
    }
    const auto count = static_cast<std::uint32_t>(read_unsigned(cursor_, room, "a number of registers"));
    cursor_.expect('>');
    const auto first = static_cast<std::int32_t>(body_.registers.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      add_registers(name, static_cast<std::int32_t>(i), type, width);
    }
    scopes_.declare_range(cursor_, name, count, {.width = width, .index = first});
  }

  void variables(StateSpace space)
  {
    std::vector<Variable> declared = read_variables(cursor_, {.space = space, .initial_room = &initial_room_});
    for (Variable& variable : declared) {
      scopes_.declare(cursor_, variable.name, symbol(SymbolKind::local_variable, body_.variables.size()));
      body_.variables.push_back(std::move(variable));
    }
  }

  void label_or_instruction()
  {
    Instruction instruction;
    instruction.line = cursor_.line();
    instruction.location = location_;
    const bool is_guarded = cursor_.accept('@');
    if (is_guarded) guard(instruction);
    const std::string_view name = cursor_.dotted_name("an instruction, a directive or '}'");
    if (!is_guarded && cursor_.accept(':')) return label(name);
    instruction.opcode = opcode(name);
    if (body_.opcodes[instruction.opcode].parts[0] == "call") {
      operands_.read_call(instruction);
    } else {
      operands_.read_list(instruction);
    }
    body_.instructions.push_back(instruction);
  }

  void guard(Instruction& instruction)
  {
    constexpr std::string_view kExpected = "a predicate register";
    instruction.guard_negated = cursor_.accept('!');
    Cursor before = cursor_;
    instruction.guard = operands_.read_register(kExpected);
    const Register& reg = body_.registers[static_cast<std::size_t>(instruction.guard)];
    if (reg.type != Type::pred) before.fail_expected(kExpected);
  }

  std::uint32_t opcode(std::string_view text)
  {
    const auto [entry, is_new] = opcode_index_.try_emplace(text, static_cast<std::uint32_t>(body_.opcodes.size()));
    if (is_new) body_.opcodes.push_back({text, split_at_dots(text)});
    return entry->second;
  }

  /// Behind `name:`. Tables and prototypes have a label for their name.
  void label(std::string_view name)
  {
    if (cursor_.accept_word(".branchtargets")) {
      table(name, SymbolKind::branch_targets, body_.branch_targets);
    } else if (cursor_.accept_word(".calltargets")) {
      table(name, SymbolKind::call_targets, body_.call_targets);
    } else if (cursor_.accept_word(".callprototype")) {
      prototype(name);
    } else {
      names_.declare_label(cursor_, name);
    }
  }

  void table(std::string_view name, SymbolKind kind, std::vector<TargetTable>& tables)
  {
    names_.declare_table(cursor_, name, kind, tables.size());
    tables.push_back({name, {}});
    do {
      const std::uint32_t line = cursor_.line();
      names_.defer_target(kind, tables.size() - 1, cursor_.identifier("a target"), line);
    } while (cursor_.accept(','));
    cursor_.expect(';');
  }

  /// `(.param .b32 _) _ (.param .b64 _) .noreturn;`
  void prototype(std::string_view name)
  {
    names_.declare_table(cursor_, name, SymbolKind::call_prototype, body_.call_prototypes.size());
    CallPrototype& prototype = body_.call_prototypes.emplace_back();
    prototype.name = name;
    if (cursor_.peek() == '(') prototype.return_parameters = read_parameters(cursor_);
    cursor_.identifier("'_'");
    if (cursor_.peek() == '(') prototype.parameters = read_parameters(cursor_);
    prototype.no_return = cursor_.accept_word(".noreturn");
    if (cursor_.accept_word(".abi_preserve") || cursor_.accept_word(".abi_preserve_control")) read_literal(cursor_);
    cursor_.expect(';');
  }

  const Function& function_;
  FunctionBody body_;
  Cursor cursor_;
  Scopes scopes_;
  NameResolver names_;
  OperandReader operands_;
  LocationReader locations_;
  std::unordered_map<std::string_view, std::uint32_t> opcode_index_;
  std::size_t initial_room_;
  std::int32_t location_ = kNone;
  int depth_ = 0;
};

}  // namespace

FunctionBody parse_body(const Module& module, std::size_t function)
{
  const Function& declared = module.functions.at(function);
  if (!declared.has_body) {
    Cursor::fail_at(module.file_name, declared.line,
                    "expected a body of " + quote_for_message(declared.name) + ", found its declaration only");
  }
  return BodyParser(module, function).parse();
}

}  // namespace flashgate::gpu::ptx
