#include "gpu/emulator/ptx/operand_reader.h"

#include <bit>
#include <string>

#include "gpu/emulator/ptx/number.h"
#include "gpu/emulator/ptx/special_registers.h"

namespace flashgate::gpu::ptx {
namespace {

constexpr int kDeepest = 8;  ///< vectors in addresses in vectors: real code has two

/// Of `.x` or `.r` and so on; -1 for another word.
int component_index(std::string_view component)
{
  if (component.size() != 1) return -1;
  const std::size_t position = std::string_view("xyzwrgba").find(component[0]);
  return position == std::string_view::npos ? -1 : static_cast<int>(position % 4);
}

}  // namespace

void OperandReader::read_list(Instruction& instruction)
{
  const std::size_t first = stack_.size();
  if (cursor_.peek() != ';') {
    do {
      stack_.push_back(read_operand(0));
    } while (cursor_.accept(','));
  }
  finish(instruction, first);
}

void OperandReader::read_call(Instruction& instruction)
{
  const std::size_t first = stack_.size();
  const bool returns = cursor_.peek() == '(';
  stack_.push_back(read_optional_list());
  if (returns) cursor_.expect(',');
  stack_.push_back(read_operand(0));
  bool has_more = cursor_.accept(',');
  const bool takes = has_more && cursor_.peek() == '(';
  stack_.push_back(takes ? read_optional_list() : Operand{.kind = Operand::Kind::vector});
  if (takes) has_more = cursor_.accept(',');
  stack_.push_back(has_more ? read_operand(0) : Operand{});
  finish(instruction, first);
}

Operand OperandReader::read_optional_list()
{
  if (!cursor_.accept('(')) return {.kind = Operand::Kind::vector};
  return read_vector(')', 0);
}

void OperandReader::finish(Instruction& instruction, std::size_t first)
{
  if (cursor_.peek() != ';') cursor_.fail_expected("',' or ';'");
  cursor_.expect(';');
  instruction.operand_count = static_cast<std::uint32_t>(stack_.size() - first);
  instruction.first_operand = keep_from(first);
}

std::uint32_t OperandReader::keep_from(std::size_t first)
{
  const auto where = static_cast<std::uint32_t>(body_.operands.size());
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(first);
  body_.operands.insert(body_.operands.end(), begin, stack_.end());
  stack_.resize(first);
  return where;
}

bool OperandReader::at_immediate()
{
  switch (cursor_.peek()) {
    case '-':
    case '+':
    case '~':
    case '(':
      return true;
    case '!':
      return !is_name_character(cursor_.peek_at(1)) || (cursor_.peek_at(1) >= '0' && cursor_.peek_at(1) <= '9');
    default:
      return at_literal(cursor_) || (cursor_.peek() == 'W' && Cursor(cursor_).accept_word("WARP_SZ"));
  }
}

Operand OperandReader::read_operand(int depth)
{
  if (depth > kDeepest) cursor_.fail_expected("operands nested at most " + std::to_string(kDeepest) + " deep");
  if (cursor_.accept('{')) return read_vector('}', depth);
  if (cursor_.accept('[')) return read_address(depth);
  if (at_immediate()) return read_immediate();
  if (cursor_.accept('!')) return read_negated();
  return read_named();
}

Operand OperandReader::read_negated()
{
  Operand operand{.kind = Operand::Kind::reg, .negated = true};
  operand.index = read_register("a predicate register");
  return operand;
}

Operand OperandReader::read_immediate()
{
  const Number number = read_expression(cursor_);
  return {.kind = Operand::Kind::immediate, .form = number.form, .bits = number.bits};
}

Operand OperandReader::read_vector(char closing, int depth)
{
  const std::size_t first = stack_.size();
  if (cursor_.peek() != closing) {
    do {
      stack_.push_back(read_operand(depth + 1));
    } while (cursor_.accept(','));
  }
  cursor_.expect(closing);
  Operand vector{.kind = Operand::Kind::vector};
  vector.element_count = static_cast<std::uint32_t>(stack_.size() - first);
  vector.first_element = keep_from(first);
  return vector;
}

/// A vector register as a whole.
Operand OperandReader::vector_of(std::int32_t first, int width)
{
  Operand vector{.kind = Operand::Kind::vector};
  vector.first_element = static_cast<std::uint32_t>(body_.operands.size());
  vector.element_count = static_cast<std::uint32_t>(width);
  for (int i = 0; i < width; ++i) {
    body_.operands.push_back({.kind = Operand::Kind::reg, .index = first + i});
  }
  return vector;
}

/// False if `name` (perhaps with a component) is not a register. `operand` may become a vector.
bool OperandReader::find_register(std::string_view name, Operand& operand)
{
  const std::size_t dot = name.find('.');
  Meaning meaning;
  if (!scopes_.find(name.substr(0, dot), meaning) || !meaning.is_register) return false;
  operand.kind = Operand::Kind::reg;
  operand.index = meaning.index;
  if (dot == std::string_view::npos) {
    if (meaning.width > 1) operand = vector_of(meaning.index, meaning.width);
    return true;
  }
  const int component = component_index(name.substr(dot + 1));
  if (component < 0 || component >= meaning.width || meaning.width == 1) return false;
  operand.index += component;
  return true;
}

std::int32_t OperandReader::read_register(std::string_view expected)
{
  Cursor before = cursor_;
  Operand operand;
  const std::string_view name = cursor_.dotted_name(expected);
  if (!find_register(name, operand) || operand.kind != Operand::Kind::reg) before.fail_expected(expected);
  return operand.index;
}

Operand OperandReader::special_register(std::string_view name)
{
  const auto [entry, is_new] =
      special_registers_.try_emplace(name, static_cast<std::int32_t>(body_.special_registers.size()));
  if (is_new) body_.special_registers.push_back(name);
  return {.kind = Operand::Kind::special_register, .index = entry->second};
}

Operand OperandReader::read_named()
{
  const std::uint32_t line = cursor_.line();
  const std::string_view name = cursor_.dotted_name("an operand");
  Operand operand;
  if (name == "_" || find_register(name, operand)) {
    if (!cursor_.accept('|')) return operand;
    if (!cursor_.accept_word("_")) operand.second = read_register("a register or '_'");
    return operand;
  }
  if (is_special_register(name)) return special_register(name);
  if (name[0] == '%' || name.find('.') != std::string_view::npos) {
    Cursor::fail_at(cursor_.file_name(), line, "expected a declared register, found " + quote_for_message(name));
  }
  operand.kind = Operand::Kind::symbol;
  if (Meaning meaning; scopes_.find(name, meaning)) {
    operand.symbol = meaning.symbol;
    operand.index = meaning.index;
  } else {
    names_.defer(operand, name, line);
  }
  read_offset(operand);
  return operand;
}

void OperandReader::read_offset(Operand& operand)
{
  if (cursor_.peek() != '-' && !cursor_.accept('+')) return;
  Cursor before = cursor_;
  const Number offset = read_expression(cursor_);
  if (!offset.is_integer()) before.fail_expected("an offset in bytes");
  operand.bits = offset.bits;
}

Operand OperandReader::read_address(int depth)
{
  Cursor before = cursor_;
  Operand base = at_immediate() ? read_immediate() : read_named();
  Operand address{.kind = Operand::Kind::address, .index = base.index, .bits = base.bits};
  switch (base.kind) {
    case Operand::Kind::immediate:
      break;
    case Operand::Kind::reg:
      address.base_kind = Operand::Base::reg;
      read_offset(address);
      break;
    case Operand::Kind::symbol:
      address.base_kind = Operand::Base::symbol;
      address.symbol = base.symbol;
      break;
    default:
      before.fail_expected("a register, a variable or a number");
  }
  read_behind_comma(address, depth);
  return address;
}

void OperandReader::read_behind_comma(Operand& address, int depth)
{
  const std::size_t first = stack_.size();
  while (cursor_.accept(',')) {
    stack_.push_back(read_operand(depth + 1));
  }
  cursor_.expect(']');
  address.element_count = static_cast<std::uint32_t>(stack_.size() - first);
  address.first_element = keep_from(first);
}

}  // namespace flashgate::gpu::ptx
