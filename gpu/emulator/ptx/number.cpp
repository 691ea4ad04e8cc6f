#include "gpu/emulator/ptx/number.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <string>

namespace flashgate::gpu::ptx {
namespace {

bool is_digit(char character) { return character >= '0' && character <= '9'; }

/// Characters of names except `%`, which is an operator behind a number, and `$`.
bool is_literal_character(char character)
{
  return is_name_character(character) && character != '%' && character != '$';
}

/// Parses all of `digits`; std::nullopt if they are not digits of `base` or do not fit.
std::optional<std::uint64_t> parse_digits(std::string_view digits, int base)
{
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc() || last != end) return std::nullopt;
  return value;
}

/// `0f3f800000` and `0d3ff0000000000000`; `word` is the whole literal.
std::optional<Number> parse_bit_pattern(std::string_view word)
{
  const bool is_f32 = word[1] == 'f' || word[1] == 'F';
  const std::string_view digits = word.substr(2);
  if (digits.size() != (is_f32 ? 8U : 16U)) return std::nullopt;
  const std::optional<std::uint64_t> bits = parse_digits(digits, 16);
  if (!bits) return std::nullopt;
  return Number{is_f32 ? NumberForm::f32 : NumberForm::f64, *bits};
}

std::optional<Number> parse_integer(std::string_view word)
{
  const bool has_suffix = word.back() == 'U' || word.back() == 'u';
  if (has_suffix) word.remove_suffix(1);
  int base = 10;
  if (word.size() > 1 && word[0] == '0') {
    const char letter = static_cast<char>(word[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    word.remove_prefix(base == 8 ? 1 : 2);
  }
  const std::optional<std::uint64_t> value = parse_digits(word, base);
  if (!value) return std::nullopt;
  const bool is_unsigned = has_suffix || *value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return Number{is_unsigned ? NumberForm::unsigned_integer : NumberForm::integer, *value};
}

/// True if the decimal digits in front of `rest` go on as a floating-point number.
bool continues_as_decimal(std::string_view rest)
{
  if (rest.empty()) return false;
  if (rest[0] == '.') return rest.size() == 1 || is_digit(rest[1]) || !is_literal_character(rest[1]);
  return rest[0] == 'e' || rest[0] == 'E';
}

std::optional<Number> read_decimal(Cursor& cursor)
{
  const std::string_view text = cursor.rest();
  double value = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  const auto length = static_cast<std::size_t>(last - text.data());
  if (length < text.size() && is_literal_character(text[length])) return std::nullopt;
  cursor.advance(length);
  return Number{NumberForm::f64, std::bit_cast<std::uint64_t>(value)};
}

std::optional<Number> parse_word(std::string_view word)
{
  const char letter = word.size() > 2 && word[0] == '0' ? static_cast<char>(word[1] | 0x20) : '\0';
  return letter == 'f' || letter == 'd' ? parse_bit_pattern(word) : parse_integer(word);
}

bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }

}  // namespace

double Number::as_double() const
{
  switch (form) {
    case NumberForm::integer:
      return static_cast<double>(std::bit_cast<std::int64_t>(bits));
    case NumberForm::unsigned_integer:
      return static_cast<double>(bits);
    case NumberForm::f32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case NumberForm::f64:
      return std::bit_cast<double>(bits);
  }
  return 0;
}

bool at_literal(Cursor& cursor) { return is_digit(cursor.peek()); }

Number read_literal(Cursor& cursor)
{
  if (!at_literal(cursor)) cursor.fail_expected("a number");
  const std::string_view text = cursor.rest();
  const auto digits = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  std::optional<Number> number;
  if (continues_as_decimal(text.substr(digits))) {
    number = read_decimal(cursor);
  } else {
    const auto end =
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(digits), text.end(), is_literal_character);
    const auto length = static_cast<std::size_t>(end - text.begin());
    number = parse_word(text.substr(0, length));
    if (number) cursor.advance(length);
  }
  if (!number) cursor.fail_expected("a number of at most 64 bits");
  return *number;
}

std::uint64_t read_unsigned(Cursor& cursor, std::uint64_t maximum, std::string_view expected)
{
  if (!at_literal(cursor)) cursor.fail_expected(expected);
  Cursor before = cursor;
  const Number number = read_literal(cursor);
  if (!number.is_integer() || number.bits > maximum) {
    before.fail_expected(std::string(expected) + " of at most " + std::to_string(maximum));
  }
  return number.bits;
}

std::uint64_t bits_as(const Number& number, Type type)
{
  const int size = size_in_bytes(type);
  if (is_float(type) || (!number.is_integer() && size != (number.form == NumberForm::f32 ? 4 : 8))) {
    const double value = number.as_double();
    if (size == 4) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (size == 8) return std::bit_cast<std::uint64_t>(value);
  }
  return size >= 8 ? number.bits : number.bits & ((std::uint64_t{1} << (8 * size)) - 1);
}

}  // namespace flashgate::gpu::ptx
