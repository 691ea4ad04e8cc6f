#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/external/shape_value.h"

namespace flashgate::gpu::external {

/// Arithmetic on the numbers of an attention call, as a map's text: "ceil_div(seqlen_q, 64) * num_heads". 64-bit
/// integers, + - * / %, parentheses, the names of shape_value.h, ceil_div(a, b), round_up(a, b), min(a, b), max(a, b).
class Expression
{
 public:
  /// Zero.
  Expression() : Expression("0") {}

  /// Throws Error "'TEXT': expected WHAT, found ...", one line.
  explicit Expression(std::string_view text);

  /// Throws Error for a division by zero and for numbers beyond 64 bits.
  std::int64_t evaluate(const kernels::AttentionParameters& parameters) const;

  const std::string& text() const { return text_; }
  bool reads_strides() const { return text_.find("stride") != std::string::npos; }

 private:
  friend class ExpressionParser;
  using Operator = bool (*)(std::int64_t a, std::int64_t b, std::int64_t& result);  ///< false: no such number

  /// Pushes a number, or replaces the two topmost ones by one.
  struct Step
  {
    std::int64_t number = 0;
    ShapeValue shape = nullptr;
    Operator combine = nullptr;
  };

  std::string text_;
  std::vector<Step> steps_;  ///< operands first
};

}  // namespace flashgate::gpu::external
