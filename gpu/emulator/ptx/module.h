#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/emulator/ptx/instruction.h"
#include "gpu/emulator/ptx/type.h"

namespace flashgate::gpu::ptx {

/// A PTX module (PTX ISA 1.0 to 9.x as text) as plain data. parse_module() reads everything but function bodies, which
/// parse_body() reads one by one when they are needed. Names are views into the text, which the module keeps alive:
/// a FunctionBody must not outlive the Module it came from (moving the Module is fine).

enum class Linkage : std::uint8_t { internal, visible, external, weak, common };

/// An address inside an initialiser: `size` bytes at `offset` take the address of `symbol` plus `addend`, shifted right
/// by `shift` bits (the mask operator `0xFF00(symbol)` picks bytes).
struct Relocation
{
  std::size_t offset = 0;
  int size = 8;
  std::string_view symbol{};  ///< a variable or function (or alias) of the module
  std::int64_t addend = 0;
  bool generic = false;  ///< `generic(symbol)`: the generic address, not the one within its space
  int shift = 0;
};

/// A variable, a parameter, or a parameter of a call.
struct Variable
{
  std::string_view name;  ///< empty for the `_` of a prototype
  StateSpace space = StateSpace::generic;
  Type type = Type::none;  ///< of one element
  int vector = 1;          ///< 2 or 4 for `.v2`, `.v4`
  bool is_array = false;
  std::uint64_t size = 0;       ///< bytes in all; 0 for an array of unknown size (`smem[]`)
  std::uint32_t alignment = 1;  ///< bytes: as declared, or that of the type
  Linkage linkage = Linkage::internal;
  std::vector<std::uint8_t> initial;               ///< may be shorter than `size`: the rest is zero
  std::vector<Relocation> relocations;             ///< of variables of the module each symbol is declared
  bool is_pointer = false;                         ///< parameter with `.ptr`
  StateSpace pointer_space = StateSpace::generic;  ///< of what it points to
  std::uint32_t pointer_alignment = 1;
  std::uint32_t line = 0;
};

/// A function or an entry without its body. Of a declaration and a definition the definition is kept.
struct Function
{
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  bool no_return = false;
  Linkage linkage = Linkage::internal;
  std::vector<Variable> return_parameters;
  std::vector<Variable> parameters;
  /// Performance directives as written, missing ones absent; sizes not written are 1.
  std::optional<std::array<std::uint32_t, 3>> maxntid{};
  std::optional<std::array<std::uint32_t, 3>> reqntid{};
  std::optional<std::array<std::uint32_t, 3>> reqnctapercluster{};
  std::optional<std::uint32_t> minnctapersm{};
  std::optional<std::uint32_t> maxnreg{};
  bool explicit_cluster = false;
  std::uint32_t line = 0;       ///< of `.entry` or `.func`
  std::string_view body{};      ///< the text between the outer braces, both included
  std::uint32_t body_line = 0;  ///< of its first character
};

/// A place in the source, of `.loc`.
struct Location
{
  std::uint32_t file = 0;  ///< key of Module::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string_view function{};      ///< mangled name of the inlined function; empty if not given
  std::int32_t inlined_at = kNone;  ///< FunctionBody::locations: the place of the call
};

struct Label
{
  std::string_view name;
  std::uint32_t instruction = 0;
};

/// `.branchtargets`: instructions; `.calltargets`: functions of the module.
struct TargetTable
{
  std::string_view name;
  std::vector<std::uint32_t> targets;
};

struct CallPrototype
{
  std::string_view name;
  std::vector<Variable> return_parameters;
  std::vector<Variable> parameters;
  bool no_return = false;
};

/// A directive that was skipped because the parser does not know it.
struct SkippedDirective
{
  std::string_view name;  ///< with its dot
  std::uint32_t line = 0;
};

/// What is between the braces of a function. Registers that are parameters (`.func (.reg .b32 r) f (.reg .b32 a)`) come
/// first in `registers`: those returned, then those taken.
struct FunctionBody
{
  std::size_t function = 0;  ///< Module::functions
  std::vector<Register> registers;
  std::vector<Variable> variables;
  std::vector<Opcode> opcodes;
  std::vector<Operand> operands;
  std::vector<Instruction> instructions;
  std::vector<Label> labels;  ///< in order of the text; scopes may repeat a name
  std::vector<TargetTable> branch_targets;
  std::vector<TargetTable> call_targets;
  std::vector<CallPrototype> call_prototypes;
  std::vector<std::string_view> special_registers;
  std::vector<Location> locations;  ///< one that was inlined comes after the place of its call
  std::vector<SkippedDirective> skipped;

  std::span<const Operand> operands_of(const Instruction& instruction) const
  {
    return std::span(operands).subspan(instruction.first_operand, instruction.operand_count);
  }
  std::span<const Operand> elements_of(const Operand& operand) const
  {
    return std::span(operands).subspan(operand.first_element, operand.element_count);
  }
};

struct Module
{
  std::string file_name;                    ///< for messages
  std::shared_ptr<const std::string> text;  ///< what all views point into
  int version_major = 0;
  int version_minor = 0;
  std::vector<std::string_view> target;  ///< "sm_90a", "texmode_independent", ...
  int address_size = 32;                 ///< bits: 32 where `.address_size` is missing
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<std::uint32_t, std::string_view> files;                 ///< `.file`
  std::unordered_map<std::string_view, std::string> info_strings;  ///< `.debug_str`: label to text
  std::unordered_map<std::string_view, std::uint32_t> variable_index;
  std::unordered_map<std::string_view, std::uint32_t> function_index;  ///< names and aliases
  std::vector<SkippedDirective> skipped;

  /// The function or alias of that name, or nullptr.
  const Function* find_function(std::string_view name) const;
  const Variable* find_variable(std::string_view name) const;
};

/// Reads a module; memory is bounded by a small multiple of the text. Throws Error ("file.ptx:12: expected ..., found
/// ...") for what is not PTX.
Module parse_module(std::string text, std::string file_name);

/// Reads the body of `module.functions[function]`. Reads the module only, so threads may do it at once. Throws Error as
/// above, also for names that are not declared, and for a function without a body.
FunctionBody parse_body(const Module& module, std::size_t function);

/// "%r12" of a register of a range or a register's plain name.
std::string name_of(const Register& reg);

}  // namespace flashgate::gpu::ptx
