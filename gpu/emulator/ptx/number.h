#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gpu/emulator/ptx/cursor.h"
#include "gpu/emulator/ptx/instruction.h"
#include "gpu/emulator/ptx/type.h"

namespace flashgate::gpu::ptx {

/// A literal or the value of a constant expression; what `bits` are depends on `form`.
struct Number
{
  NumberForm form = NumberForm::integer;
  std::uint64_t bits = 0;

  bool is_integer() const { return form == NumberForm::integer || form == NumberForm::unsigned_integer; }
  double as_double() const;
};

/// True if a literal starts at the cursor.
bool at_literal(Cursor& cursor);

/// Decimal, 0x, 0b and octal integers with or without suffix U, decimal floating-point numbers, 0f and 0d bit patterns.
Number read_literal(Cursor& cursor);

/// The constant expressions of PTX: literals, WARP_SZ, parentheses, casts (.s64) and (.u64), and C's operators with C's
/// precedence, evaluated in 64 bits. Integers wrap; a shift by 64 or more gives 0, or the sign. Division by zero and
/// expressions nested too deep throw Error.
Number read_expression(Cursor& cursor);

/// A literal integer of at most `maximum`; `expected` names it in the message.
std::uint64_t read_unsigned(Cursor& cursor, std::uint64_t maximum, std::string_view expected);

/// The bits that `number` has as an element of `type`, as PTX initialises variables: integers are truncated, a number
/// for a floating-point type is converted, a floating-point number for an untyped (.b) or integer type keeps its bit
/// pattern in the element's width.
std::uint64_t bits_as(const Number& number, Type type);

}  // namespace flashgate::gpu::ptx
