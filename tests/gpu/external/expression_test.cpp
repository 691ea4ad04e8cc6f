#include "gpu/external/expression.h"

#include <string>

#include <doctest/doctest.h>

#include "reference/error.h"

namespace flashgate::gpu::external {
namespace {

kernels::AttentionParameters shapes()
{
  kernels::AttentionParameters parameters;
  parameters.batch = 2;
  parameters.num_heads = 6;
  parameters.num_heads_kv = 3;
  parameters.seqlen_q = 129;
  parameters.seqlen_k = 64;
  parameters.head_dim = 128;
  parameters.k.row_stride = 136;
  return parameters;
}

TEST_CASE("an expression is evaluated with the call's shapes")
{
  const struct
  {
    const char* text;
    std::int64_t value;
  } rows[] = {
      {"64", 64},
      {"seqlen_q", 129},
      {"ceil_div(seqlen_q, 64)", 3},
      {"ceil_div(seqlen_k, 64)", 1},
      {"round_up(seqlen_q, 128) * 4", 1024},
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"10 - 2 - 3", 5},
      {"-seqlen_k + 4", -60},
      {"100 / 8 / 2", 6},
      {"seqlen_q % 64", 1},
      {"min(seqlen_q, seqlen_k) + max(batch, 5)", 69},
      {"num_heads/num_heads_kv", 2},
      {"k.row_stride", 136},
      {"2 * (head_dim + head_dim_v) * 2", 516},
  };
  for (const auto& [text, value] : rows) {
    CAPTURE(text);
    CHECK(Expression(text).evaluate(shapes()) == value);
  }
}

TEST_CASE("what is no expression is refused with what was expected")
{
  const struct
  {
    const char* text;
    const char* message;
  } rows[] = {
      {"", "expected a number"},
      {"seqlen", "expected a number"},
      {"k.stride", "expected a number"},
      {"lse.row_stride", "expected a number"},
      {"1 +", "expected a number"},
      {"1 2", "expected an operator or the end, found '2'"},
      {"(1", "expected ')', found the end"},
      {"min(1)", "expected ',', found ')'"},
      {"99999999999999999999", "expected a number of 64 bits"},
      {"1; rm", "expected an operator or the end"},
  };
  for (const auto& [text, message] : rows) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(Expression{text}, doctest::Contains(message), Error);
  }
  CHECK_THROWS_AS(Expression{std::string(100'000, '(')}, Error);
}

TEST_CASE("an expression without a value says so")
{
  for (const char* text : {"1 / 0", "1 % (batch - 2)", "ceil_div(1, 0)", "9223372036854775807 + 1",
                           "-9223372036854775807 - 2", "4611686018427387904 * 2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Expression(text).evaluate(shapes()), Error);
  }
}

}  // namespace
}  // namespace flashgate::gpu::external
