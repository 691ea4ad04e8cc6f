#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/emulator/ptx/cursor.h"
#include "gpu/emulator/ptx/module.h"
#include "gpu/emulator/ptx/name_resolver.h"
#include "gpu/emulator/ptx/scopes.h"

namespace flashgate::gpu::ptx {

/// Reads the operands of instructions into FunctionBody::operands.
class OperandReader
{
 public:
  OperandReader(Cursor& cursor, FunctionBody& body, const Scopes& scopes, NameResolver& names)
      : cursor_(cursor), body_(body), scopes_(scopes), names_(names)
  {
  }

  /// Reads up to and including the semicolon and sets the operands of `instruction`.
  void read_list(Instruction& instruction);

  /// Same for a call: always four operands, see Instruction.
  void read_call(Instruction& instruction);

  /// Reads a register, without `|`. Throws Error if the name is not a register of one element.
  std::int32_t read_register(std::string_view expected);

 private:
  /// Where elements of lists are kept until the list is complete; `read_` functions leave it as they found it.
  using Stack = std::vector<Operand>;

  Operand read_operand(int depth);
  Operand read_negated();
  Operand read_immediate();
  Operand read_named();
  Operand read_vector(char closing, int depth);
  Operand read_address(int depth);
  void read_behind_comma(Operand& address, int depth);
  void read_offset(Operand& operand);
  Operand read_optional_list();

  bool find_register(std::string_view name, Operand& operand);
  Operand vector_of(std::int32_t first, int width);
  Operand special_register(std::string_view name);
  bool at_immediate();

  /// Moves what the stack holds from `first` on to the body's operands; returns where they are.
  std::uint32_t keep_from(std::size_t first);
  void finish(Instruction& instruction, std::size_t first);

  Cursor& cursor_;
  FunctionBody& body_;
  const Scopes& scopes_;
  NameResolver& names_;
  Stack stack_;
  std::unordered_map<std::string_view, std::int32_t> special_registers_;
};

}  // namespace flashgate::gpu::ptx
