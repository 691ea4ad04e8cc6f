#include "gpu/external/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/error.h"

namespace flashgate::gpu::external {
namespace {

using Number = std::int64_t;

constexpr std::size_t kLongestText = 200;  ///< bounds how deep parentheses nest

bool is_divisible_by(Number a, Number b) { return b != 0 && !(b == -1 && a == std::numeric_limits<Number>::min()); }

bool add(Number a, Number b, Number& result) { return !__builtin_add_overflow(a, b, &result); }
bool subtract(Number a, Number b, Number& result) { return !__builtin_sub_overflow(a, b, &result); }
bool multiply(Number a, Number b, Number& result) { return !__builtin_mul_overflow(a, b, &result); }

bool divide(Number a, Number b, Number& result)
{
  if (!is_divisible_by(a, b)) return false;
  result = a / b;
  return true;
}

bool remainder(Number a, Number b, Number& result)
{
  if (!is_divisible_by(a, b)) return false;
  result = a % b;
  return true;
}

bool ceil_div(Number a, Number b, Number& result)
{
  if (!is_divisible_by(a, b)) return false;
  result = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
  return true;
}

bool round_up(Number a, Number b, Number& result) { return ceil_div(a, b, result) && multiply(result, b, result); }

bool smaller(Number a, Number b, Number& result)
{
  result = std::min(a, b);
  return true;
}

bool larger(Number a, Number b, Number& result)
{
  result = std::max(a, b);
  return true;
}

struct NamedFunction
{
  std::string_view name;
  bool (*combine)(Number, Number, Number&);
};
constexpr std::array<NamedFunction, 4> kFunctions{
    {{"ceil_div", ceil_div}, {"round_up", round_up}, {"min", smaller}, {"max", larger}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || c == '_' || c == '.' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

/// Recursive descent; writes the steps of operands before those of what combines them.
class ExpressionParser
{
 public:
  explicit ExpressionParser(Expression& expression) : expression_(expression), rest_(expression.text_) {}

  void parse()
  {
    if (rest_.size() > kLongestText) fail(fmt::format("at most {} characters", kLongestText));
    sum();
    if (next() != '\0') fail("an operator or the end");
  }

 private:
  void sum()
  {
    product();
    for (char c = next(); c == '+' || c == '-'; c = next()) {
      take();
      product();
      combine(c == '+' ? add : subtract);
    }
  }

  void product()
  {
    operand();
    for (char c = next(); c == '*' || c == '/' || c == '%'; c = next()) {
      take();
      operand();
      combine(c == '*' ? multiply : c == '/' ? divide : remainder);
    }
  }

  void operand()
  {
    const char c = next();
    if (c == '(') {
      take();
      sum();
      expect(')');
    } else if (c == '-') {
      take();
      push({0, nullptr, nullptr});
      operand();
      combine(subtract);
    } else if (is_digit(c)) {
      number();
    } else {
      name();
    }
  }

  void number()
  {
    Number value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail("a number of 64 bits");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    push({value, nullptr, nullptr});
  }

  void name()
  {
    const auto end = std::ranges::find_if_not(rest_, is_word);
    const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    if (const ShapeValue shape = find_shape_value(word); shape != nullptr) {
      rest_.remove_prefix(word.size());
      push({0, shape, nullptr});
      return;
    }
    const auto function = std::ranges::find(kFunctions, word, &NamedFunction::name);
    if (function == kFunctions.end())
      fail(fmt::format("a number, TENSOR.batch_stride, .head_stride or .row_stride, or one of {}",
                       fmt::join(shape_names(), ", ")));
    rest_.remove_prefix(word.size());
    expect('(');
    sum();
    expect(',');
    sum();
    expect(')');
    combine(function->combine);
  }

  /// The next character that is no blank; '\0' at the end.
  char next()
  {
    while (!rest_.empty() && rest_.front() == ' ')
      take();
    return rest_.empty() ? '\0' : rest_.front();
  }
  void take() { rest_.remove_prefix(1); }
  void expect(char c)
  {
    if (next() != c) fail(fmt::format("'{}'", c));
    take();
  }
  void push(const Expression::Step& step) { expression_.steps_.push_back(step); }
  void combine(Expression::Operator how) { push({0, nullptr, how}); }

  [[noreturn]] void fail(std::string_view expected) const
  {
    constexpr std::size_t kShown = 20;
    const std::string found = rest_.empty() ? "the end" : fmt::format("'{}'", rest_.substr(0, kShown));
    throw Error(fmt::format("'{}': expected {}, found {}", expression_.text_.substr(0, kLongestText), expected, found));
  }

  Expression& expression_;
  std::string_view rest_;
};

Expression::Expression(std::string_view text) : text_(text) { ExpressionParser(*this).parse(); }

std::int64_t Expression::evaluate(const kernels::AttentionParameters& parameters) const
{
  std::vector<Number> stack;
  for (const Step& step : steps_) {
    if (step.combine == nullptr) {
      stack.push_back(step.shape != nullptr ? step.shape(parameters) : step.number);
      continue;
    }
    const Number right = stack.back();
    stack.pop_back();
    if (!step.combine(stack.back(), right, stack.back()))
      throw Error(fmt::format("'{}': a division by zero, or a number beyond 64 bits", text_));
  }
  return stack.back();
}

}  // namespace flashgate::gpu::external
