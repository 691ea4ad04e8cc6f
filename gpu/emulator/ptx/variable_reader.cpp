#include "gpu/emulator/ptx/variable_reader.h"

#include <bit>
#include <utility>

#include "gpu/emulator/ptx/number.h"

namespace flashgate::gpu::ptx {
namespace {

constexpr std::uint32_t kLargestAlignment = 1U << 20;

std::uint32_t read_alignment(Cursor& cursor)
{
  Cursor before = cursor;
  const std::uint64_t alignment = read_unsigned(cursor, kLargestAlignment, "an alignment");
  if (!std::has_single_bit(alignment)) before.fail_expected("an alignment that is a power of two");
  return static_cast<std::uint32_t>(alignment);
}

int vector_length(std::string_view word) { return word == ".v2" ? 2 : word == ".v4" ? 4 : word == ".v8" ? 8 : 0; }

/// The part of a declaration in front of the names, word by word.
class DeclarationReader
{
 public:
  DeclarationReader(Cursor& cursor, const VariableContext& context) : cursor_(cursor)
  {
    variable_.space = context.space;
    variable_.linkage = context.linkage;
  }

  Variable read()
  {
    for (;;) {
      Cursor before = cursor_;
      const std::string_view word = cursor_.dotted_word();
      if (word.empty()) break;
      if (!take(word)) before.fail_expected("a type");
    }
    if (variable_.type == Type::none) cursor_.fail_expected("a type");
    const auto natural = static_cast<std::uint32_t>(size_in_bytes(variable_.type) * variable_.vector);
    if (!has_alignment_) variable_.alignment = natural;
    return variable_;
  }

 private:
  bool take(std::string_view word)
  {
    if (word == ".align") {
      take_alignment();
    } else if (word == ".ptr") {
      variable_.is_pointer = true;
    } else if (word == ".attribute") {
      pass_attribute(cursor_);
    } else if (vector_length(word) != 0) {
      variable_.vector = vector_length(word);
    } else if (variable_.is_pointer && space_named(word.substr(1)) != StateSpace::generic) {
      variable_.pointer_space = space_named(word.substr(1));
    } else {
      variable_.type = type_named(word.substr(1));
      return variable_.type != Type::none;
    }
    return true;
  }

  void take_alignment()
  {
    const std::uint32_t alignment = read_alignment(cursor_);
    if (variable_.is_pointer) {
      variable_.pointer_alignment = alignment;
    } else {
      variable_.alignment = alignment;
      has_alignment_ = true;
    }
  }

  Cursor& cursor_;
  Variable variable_;
  bool has_alignment_ = false;
};

/// `[3][4]`; 0 for `[]`.
std::vector<std::uint64_t> read_dimensions(Cursor& cursor)
{
  constexpr std::size_t kMostDimensions = 16;
  std::vector<std::uint64_t> dimensions;
  while (cursor.accept('[')) {
    if (dimensions.size() == kMostDimensions) cursor.fail_expected("at most 16 dimensions");
    if (dimensions.empty() && cursor.accept(']')) {
      dimensions.push_back(0);
      continue;
    }
    Cursor before = cursor;
    const Number length = read_expression(cursor);
    if (!length.is_integer() || length.bits > kLargestVariable) before.fail_expected("an array length up to 2^40");
    dimensions.push_back(length.bits);
    cursor.expect(']');
  }
  return dimensions;
}

/// `element_size` times the lengths; 0 if one of them is 0, which must not hide that the others are too large.
std::uint64_t size_of_array(Cursor& cursor, std::uint64_t element_size, const std::vector<std::uint64_t>& dimensions)
{
  std::uint64_t size = element_size;
  bool is_empty = false;
  for (const std::uint64_t length : dimensions) {
    is_empty = is_empty || length == 0;
    if (length == 0) continue;
    if (size > kLargestVariable / length) cursor.fail_expected("a variable of at most 2^40 bytes before this");
    size *= length;
  }
  return is_empty ? 0 : size;
}

std::uint64_t size_of_one(const Variable& variable)
{
  return static_cast<std::uint64_t>(size_in_bytes(variable.type)) * static_cast<std::uint64_t>(variable.vector);
}

/// Name, dimensions and initialiser of one variable whose type is known.
void read_declarator(Cursor& cursor, Variable& variable, const VariableContext& context)
{
  variable.line = cursor.line();
  variable.name = cursor.identifier("a name");
  if (variable.name == "_") variable.name = {};
  std::vector<std::uint64_t> dimensions = read_dimensions(cursor);
  variable.is_array = !dimensions.empty();
  variable.size = size_of_array(cursor, size_of_one(variable), dimensions);
  if (context.initial_room == nullptr || !cursor.accept('=')) return;
  read_initialiser(cursor, variable, std::move(dimensions), *context.initial_room);
}

/// A parameter of a prototype may come without a name: `.param .b64 _` or just `.param .b64`.
bool at_unnamed_end(Cursor& cursor) { return cursor.peek() == ',' || cursor.peek() == ')'; }

Variable read_parameter(Cursor& cursor)
{
  const bool is_register = cursor.accept_word(".reg");
  if (!is_register && !cursor.accept_word(".param")) cursor.fail_expected("'.param' or '.reg'");
  const VariableContext context{.space = is_register ? StateSpace::reg : StateSpace::param};
  Variable variable = DeclarationReader(cursor, context).read();
  if (at_unnamed_end(cursor)) {
    variable.size = size_of_one(variable);
  } else {
    read_declarator(cursor, variable, context);
  }
  return variable;
}

}  // namespace

void pass_attribute(Cursor& cursor)
{
  cursor.expect('(');
  for (int depth = 1; depth > 0;) {
    if (cursor.accept('(')) {
      ++depth;
    } else if (cursor.accept(')')) {
      --depth;
    } else if (!cursor.accept(',') && cursor.dotted_word().empty()) {
      read_literal(cursor);
    }
  }
}

std::vector<Variable> read_variables(Cursor& cursor, const VariableContext& context)
{
  const Variable declaration = DeclarationReader(cursor, context).read();
  std::vector<Variable> variables;
  do {
    variables.push_back(declaration);
    read_declarator(cursor, variables.back(), context);
  } while (cursor.accept(','));
  cursor.expect(';');
  return variables;
}

std::vector<Variable> read_parameters(Cursor& cursor)
{
  std::vector<Variable> parameters;
  cursor.expect('(');
  if (cursor.accept(')')) return parameters;
  do {
    parameters.push_back(read_parameter(cursor));
  } while (cursor.accept(','));
  cursor.expect(')');
  return parameters;
}

}  // namespace flashgate::gpu::ptx
