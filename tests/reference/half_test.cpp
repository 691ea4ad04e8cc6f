#include "reference/half.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

namespace flashgate::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Dtype kDtypes[] = {Dtype::bf16, Dtype::fp16};

bool is_nan_pattern(Dtype dtype, unsigned bits)
{
  return (bits & 0x7FFFU) > (dtype == Dtype::bf16 ? 0x7F80U : 0x7C00U);
}

/// The value one step further from zero on the same side.
double next_value(Dtype dtype, unsigned bits) { return from_bits(dtype, static_cast<std::uint16_t>(bits + 1)); }

}  // namespace

TEST_CASE("every 16-bit pattern survives the way through double")
{
  for (const Dtype dtype : kDtypes) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
      const double value = from_bits(dtype, static_cast<std::uint16_t>(bits));
      REQUIRE(std::isnan(value) == is_nan_pattern(dtype, bits));
      if (std::isnan(value)) {
        REQUIRE(is_nan_pattern(dtype, to_bits(dtype, value)));
        REQUIRE(std::signbit(value) == (bits >> 15 != 0));
      } else {
        REQUIRE(to_bits(dtype, value) == bits);
        REQUIRE(std::bit_cast<std::uint64_t>(round_to(dtype, value)) == std::bit_cast<std::uint64_t>(value));
      }
    }
  }
}

TEST_CASE("bf16 values are the upper half of a float")
{
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto expected = static_cast<double>(std::bit_cast<float>(bits << 16));
    const double value = bf16_value(static_cast<std::uint16_t>(bits));
    if (!std::isnan(expected)) REQUIRE(value == expected);
  }
}

TEST_CASE("between any two neighbours the midpoint goes to the even one and its sides to the nearer")
{
  for (const Dtype dtype : kDtypes) {
    const unsigned infinity = dtype == Dtype::bf16 ? 0x7F80U : 0x7C00U;
    for (unsigned bits = 0; bits + 1 < infinity; ++bits) {
      const double low = from_bits(dtype, static_cast<std::uint16_t>(bits));
      const double high = next_value(dtype, bits);
      const double middle = (low + high) / 2;
      const unsigned even = (bits & 1U) == 0 ? bits : bits + 1;
      for (const double sign : {1.0, -1.0}) {
        const unsigned sign_bit = sign < 0 ? 0x8000U : 0U;
        REQUIRE(to_bits(dtype, sign * middle) == (even | sign_bit));
        REQUIRE(to_bits(dtype, sign * std::nextafter(middle, 0.0)) == (bits | sign_bit));
        REQUIRE(to_bits(dtype, sign * std::nextafter(middle, kInfinity)) == ((bits + 1) | sign_bit));
        REQUIRE(round_to(dtype, sign * std::nextafter(middle, 0.0)) == sign * low);
        REQUIRE(round_to(dtype, sign * std::nextafter(middle, kInfinity)) == sign * high);
      }
    }
  }
}

TEST_CASE("a value just above a tie is not rounded twice through float")
{
  // 1 + 2^-8 is the tie between 1 and 1 + 2^-7; 2^-40 above it vanishes in a float and would then go to the even side.
  CHECK(round_to(Dtype::bf16, 1 + 0x1p-8 + 0x1p-40) == 1 + 0x1p-7);
  CHECK(round_to(Dtype::bf16, 1 + 0x1p-8) == 1);
  CHECK(round_to(Dtype::fp16, 1 + 0x1p-11 + 0x1p-40) == 1 + 0x1p-10);
}

TEST_CASE("overflow rounds to infinity only from half a step above the largest value")
{
  CHECK(round_to(Dtype::fp16, 65519.999) == 65504);
  CHECK(round_to(Dtype::fp16, 65520) == kInfinity);
  CHECK(round_to(Dtype::fp16, -65520) == -kInfinity);
  CHECK(round_to(Dtype::bf16, 0x1.FEFFFp127) == largest_finite(Dtype::bf16));
  CHECK(round_to(Dtype::bf16, 0x1.FFp127) == kInfinity);
  CHECK(round_to(Dtype::bf16, std::numeric_limits<double>::max()) == kInfinity);
}

TEST_CASE("tiny values round to the nearest subnormal or to a zero of their sign")
{
  for (const Dtype dtype : kDtypes) {
    const double tiny = smallest_subnormal(dtype);
    CHECK(from_bits(dtype, 1) == tiny);
    CHECK(round_to(dtype, tiny * 0.5) == 0);
    CHECK(round_to(dtype, tiny * 0.5000001) == tiny);
    CHECK(round_to(dtype, tiny * 1.5) == 2 * tiny);
    CHECK(std::signbit(round_to(dtype, -tiny * 0.1)));
    CHECK(round_to(dtype, std::numeric_limits<double>::denorm_min()) == 0);
  }
}

TEST_CASE("ulp distance counts representable values across zero")
{
  CHECK(ulp_distance(Dtype::bf16, 1.0, 1.0 + 0x1p-7) == 1);
  CHECK(ulp_distance(Dtype::bf16, 0.0, -0.0) == 0);
  CHECK(ulp_distance(Dtype::fp16, smallest_subnormal(Dtype::fp16), -smallest_subnormal(Dtype::fp16)) == 2);
  CHECK(ulp_distance(Dtype::fp16, NAN, NAN) == 0);
  CHECK(ulp_distance(Dtype::fp16, 1.0, NAN) == std::numeric_limits<std::int64_t>::max());
}

}  // namespace flashgate::reference
