#include <array>
#include <bit>
#include <optional>
#include <string_view>

#include "gpu/emulator/ptx/number.h"

namespace flashgate::gpu::ptx {
namespace {

constexpr int kDeepest = 64;
constexpr std::uint64_t kWarpSize = 32;

enum class Operator : std::uint8_t {
  multiply,
  divide,
  remainder,
  add,
  subtract,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
};

struct OperatorRow
{
  std::string_view text;
  Operator operation;
  int precedence;  ///< higher binds tighter
};

/// Longer spellings before those that they start with.
constexpr std::array<OperatorRow, 18> kOperators{{
    {"<<", Operator::shift_left, 8},
    {">>", Operator::shift_right, 8},
    {"<=", Operator::less_equal, 7},
    {">=", Operator::greater_equal, 7},
    {"==", Operator::equal, 6},
    {"!=", Operator::not_equal, 6},
    {"&&", Operator::logical_and, 2},
    {"||", Operator::logical_or, 1},
    {"*", Operator::multiply, 10},
    {"/", Operator::divide, 10},
    {"%", Operator::remainder, 10},
    {"+", Operator::add, 9},
    {"-", Operator::subtract, 9},
    {"<", Operator::less, 7},
    {">", Operator::greater, 7},
    {"&", Operator::bit_and, 5},
    {"^", Operator::bit_xor, 4},
    {"|", Operator::bit_or, 3},
}};

std::optional<OperatorRow> operator_at(Cursor& cursor)
{
  constexpr std::string_view kUsuallyNext = ",;]})";
  if (kUsuallyNext.find(cursor.peek()) != std::string_view::npos) return std::nullopt;
  for (const OperatorRow& row : kOperators) {
    if (cursor.rest().starts_with(row.text)) return row;
  }
  return std::nullopt;
}

Number integer(std::int64_t value) { return {NumberForm::integer, std::bit_cast<std::uint64_t>(value)}; }
Number floating(double value) { return {NumberForm::f64, std::bit_cast<std::uint64_t>(value)}; }

template <typename T>
std::optional<bool> compare(Operator operation, T a, T b)
{
  switch (operation) {
    case Operator::less:
      return a < b;
    case Operator::less_equal:
      return a <= b;
    case Operator::greater:
      return a > b;
    case Operator::greater_equal:
      return a >= b;
    case Operator::equal:
      return a == b;
    case Operator::not_equal:
      return a != b;
    default:
      return std::nullopt;
  }
}

std::optional<Number> apply_to_doubles(Operator operation, double a, double b)
{
  if (const std::optional<bool> result = compare(operation, a, b)) return integer(*result ? 1 : 0);
  switch (operation) {
    case Operator::multiply:
      return floating(a * b);
    case Operator::divide:
      return floating(a / b);
    case Operator::add:
      return floating(a + b);
    case Operator::subtract:
      return floating(a - b);
    default:
      return std::nullopt;
  }
}

/// Quotient or remainder; nothing for a division by zero. The one quotient that does not fit wraps.
std::optional<std::uint64_t> divide(Operator operation, std::uint64_t a, std::uint64_t b, bool is_signed)
{
  if (b == 0) return std::nullopt;
  const bool quotient = operation == Operator::divide;
  if (!is_signed) return quotient ? a / b : a % b;
  const auto signed_a = std::bit_cast<std::int64_t>(a);
  const auto signed_b = std::bit_cast<std::int64_t>(b);
  if (signed_b == -1) return quotient ? 0 - a : 0;
  return std::bit_cast<std::uint64_t>(quotient ? signed_a / signed_b : signed_a % signed_b);
}

std::uint64_t shift(Operator operation, const Number& a, std::uint64_t count)
{
  if (operation == Operator::shift_left) return count > 63 ? 0 : a.bits << count;
  if (a.form == NumberForm::unsigned_integer) return count > 63 ? 0 : a.bits >> count;
  return std::bit_cast<std::uint64_t>(std::bit_cast<std::int64_t>(a.bits) >> (count > 63 ? 63 : count));
}

std::optional<std::uint64_t> arithmetic(Operator operation, std::uint64_t a, std::uint64_t b, bool is_signed)
{
  switch (operation) {
    case Operator::multiply:
      return a * b;
    case Operator::add:
      return a + b;
    case Operator::subtract:
      return a - b;
    case Operator::bit_and:
      return a & b;
    case Operator::bit_xor:
      return a ^ b;
    case Operator::bit_or:
      return a | b;
    default:
      return divide(operation, a, b, is_signed);
  }
}

std::optional<Number> apply_to_integers(Operator operation, const Number& a, const Number& b)
{
  const bool is_signed = a.form == NumberForm::integer && b.form == NumberForm::integer;
  if (operation == Operator::logical_and) return integer(a.bits != 0 && b.bits != 0 ? 1 : 0);
  if (operation == Operator::logical_or) return integer(a.bits != 0 || b.bits != 0 ? 1 : 0);
  if (operation == Operator::shift_left || operation == Operator::shift_right) {
    return Number{a.form, shift(operation, a, b.bits)};
  }
  const std::optional<bool> compared =
      is_signed ? compare(operation, std::bit_cast<std::int64_t>(a.bits), std::bit_cast<std::int64_t>(b.bits))
                : compare(operation, a.bits, b.bits);
  if (compared) return integer(*compared ? 1 : 0);
  const std::optional<std::uint64_t> bits = arithmetic(operation, a.bits, b.bits, is_signed);
  if (!bits) return std::nullopt;
  return Number{is_signed ? NumberForm::integer : NumberForm::unsigned_integer, *bits};
}

/// Precedence climbing; `depth` bounds the recursion.
class ExpressionReader
{
 public:
  explicit ExpressionReader(Cursor& cursor) : cursor_(cursor) {}

  Number conditional(int depth)
  {
    const Number condition = binary(1, depth);
    if (!cursor_.accept('?')) return condition;
    const Number if_true = conditional(deeper(depth));
    cursor_.expect(':');
    const Number if_false = conditional(deeper(depth));
    return condition.bits != 0 ? if_true : if_false;
  }

 private:
  int deeper(int depth)
  {
    if (depth >= kDeepest) cursor_.fail_expected("an expression nested at most " + std::to_string(kDeepest) + " deep");
    return depth + 1;
  }

  Number binary(int least_precedence, int depth)
  {
    Number left = unary(depth);
    for (;;) {
      const std::optional<OperatorRow> row = operator_at(cursor_);
      if (!row || row->precedence < least_precedence) return left;
      cursor_.advance(row->text.size());
      Cursor at_right = cursor_;
      const Number right = binary(row->precedence + 1, deeper(depth));
      const std::optional<Number> value = left.is_integer() && right.is_integer()
                                              ? apply_to_integers(row->operation, left, right)
                                              : apply_to_doubles(row->operation, left.as_double(), right.as_double());
      if (!value) at_right.fail_expected("an operand that '" + std::string(row->text) + "' is defined for");
      left = *value;
    }
  }

  Number unary(int depth)
  {
    switch (cursor_.peek()) {
      case '-':
        cursor_.advance(1);
        return negate(unary(deeper(depth)));
      case '+':
        cursor_.advance(1);
        return unary(deeper(depth));
      case '!':
        cursor_.advance(1);
        return integer(unary(deeper(depth)).bits == 0 ? 1 : 0);
      case '~':
        cursor_.advance(1);
        return complement(unary(deeper(depth)));
      case '(':
        return parenthesised(depth);
      default:
        if (cursor_.accept_word("WARP_SZ")) return {NumberForm::integer, kWarpSize};
        return read_literal(cursor_);
    }
  }

  static Number negate(const Number& number)
  {
    switch (number.form) {
      case NumberForm::f32:
        return {number.form, number.bits ^ 0x80000000U};
      case NumberForm::f64:
        return {number.form, number.bits ^ (std::uint64_t{1} << 63)};
      default:
        return {number.form, 0 - number.bits};
    }
  }

  Number complement(const Number& number)
  {
    if (!number.is_integer()) cursor_.fail_expected("an integer in front of this, for '~'");
    return {number.form, ~number.bits};
  }

  Number parenthesised(int depth)
  {
    cursor_.expect('(');
    const std::string_view cast = cursor_.dotted_word();
    if (cast.empty()) {
      const Number number = conditional(deeper(depth));
      cursor_.expect(')');
      return number;
    }
    if (cast != ".s64" && cast != ".u64") cursor_.fail_expected("a cast to .s64 or .u64 in front of this");
    cursor_.expect(')');
    return converted(unary(deeper(depth)), cast == ".s64" ? NumberForm::integer : NumberForm::unsigned_integer);
  }

  Number converted(const Number& number, NumberForm form)
  {
    if (number.is_integer()) return {form, number.bits};
    const double value = number.as_double();
    constexpr double kTwoTo63 = 9223372036854775808.0;
    if (!(value > -kTwoTo63 && value < kTwoTo63)) cursor_.fail_expected("a number below 2^63 in front of this");
    return {form, std::bit_cast<std::uint64_t>(static_cast<std::int64_t>(value))};
  }

  Cursor& cursor_;
};

}  // namespace

Number read_expression(Cursor& cursor) { return ExpressionReader(cursor).conditional(0); }

}  // namespace flashgate::gpu::ptx
