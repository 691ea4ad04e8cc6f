#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu/emulator/ptx/type.h"

namespace flashgate::gpu::ptx {

/// Instructions as plain data, small and without pointers to each other. Every index refers to a list of the
/// FunctionBody that holds the instruction, unless it says that it refers to the Module.

/// No register, no location, no symbol.
constexpr std::int32_t kNone = -1;

/// What a name in an operand stands for, and which list Operand::index refers to.
enum class SymbolKind : std::uint8_t {
  none,
  parameter,         ///< Function::parameters of the function the body belongs to
  return_parameter,  ///< Function::return_parameters of it
  local_variable,    ///< FunctionBody::variables: declared in the body, in any space
  module_variable,   ///< Module::variables
  function,          ///< Module::functions (aliases are resolved)
  branch_targets,    ///< FunctionBody::branch_targets
  call_targets,      ///< FunctionBody::call_targets
  call_prototype,    ///< FunctionBody::call_prototypes
};

/// How an immediate was written, which says what its 64 bits are.
enum class NumberForm : std::uint8_t {
  integer,           ///< 64-bit two's complement
  unsigned_integer,  ///< 64 bits: suffix U, or above 2^63 - 1
  f32,               ///< 0fXXXXXXXX: the bits of a binary32 in the low half
  f64,               ///< 0dX..X or a decimal number with point or exponent: the bits of a binary64
};

/// One operand. Elements of a vector follow each other in FunctionBody::operands, from `first_element` on.
struct Operand
{
  enum class Kind : std::uint8_t {
    sink,              ///< `_`
    reg,               ///< register `index`
    special_register,  ///< FunctionBody::special_registers[index], e.g. %tid.x
    immediate,         ///< `bits`, written as `form`
    symbol,            ///< address of symbol `index` (see `symbol`) plus offset(); or a table, prototype, function
    address,           ///< `[base + offset, elements]`, see base()
    vector,            ///< `{a, b}`; also the lists `(a, b)` of a call
    label,             ///< `index` is an instruction of the body; it may be one past the last
  };
  /// What an address counts from.
  enum class Base : std::uint8_t { absolute, reg, symbol };

  Kind kind = Kind::sink;
  Base base_kind = Base::absolute;       ///< of an address
  SymbolKind symbol = SymbolKind::none;  ///< of a symbol, or of an address with a symbol for its base
  NumberForm form = NumberForm::integer;
  bool negated = false;             ///< `!%p`
  std::int32_t index = kNone;       ///< register, special register, symbol, instruction
  std::int32_t second = kNone;      ///< the register after `|`: `%r1|%p1`, `_|%p1` (kind sink); kNone also for `|_`
  std::uint32_t first_element = 0;  ///< of a vector; of an address: what follows its comma, e.g. one vector
  std::uint32_t element_count = 0;
  std::uint64_t bits = 0;  ///< immediate; or the offset of an address or symbol in bytes, two's complement

  std::int64_t offset() const { return std::bit_cast<std::int64_t>(bits); }
};

/// An opcode with all its modifiers, kept once per body.
struct Opcode
{
  std::string_view text;                ///< "ld.shared::cta.v4.b32"
  std::vector<std::string_view> parts;  ///< "ld", "shared::cta", "v4", "b32"
};

/// One instruction. A `call` always has four operands: vector of return parameters, callee (symbol or register), vector
/// of arguments, then prototype or table of targets (symbol) or a sink.
struct Instruction
{
  std::uint32_t opcode = 0;  ///< FunctionBody::opcodes
  std::uint32_t first_operand = 0;
  std::uint32_t operand_count = 0;
  std::int32_t guard = kNone;     ///< predicate register of `@%p`
  bool guard_negated = false;     ///< `@!%p`
  std::int32_t location = kNone;  ///< FunctionBody::locations
  std::uint32_t line = 0;         ///< of the PTX text, from 1
};

/// A register. Of a range `%r<100>` each has the name `%r` and its number.
struct Register
{
  std::string_view name;
  std::int32_t number = kNone;
  Type type = Type::none;
};

}  // namespace flashgate::gpu::ptx
