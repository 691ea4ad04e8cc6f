#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "reference/error.h"
#include "sim/context_parallel/lse_layout.h"

namespace flashgate::sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> numbered(std::size_t elements)
{
  std::vector<double> values;
  for (std::size_t n = 0; n < elements; ++n)
    values.push_back(static_cast<double>(n) + 0.5);
  return values;
}

}  // namespace

TEST_CASE("reading what was written gives it back in every layout, with NaN in every pad")
{
  CHECK(rc::check("round trip", [] {
    LseFormat format;
    format.layout = *rc::gen::element(LseLayout::varlen, LseLayout::padded, LseLayout::packed_pitch);
    format.num_heads = *rc::gen::inRange(1, 4);
    format.cu_seqlens = {0};
    const int first = *rc::gen::inRange(0, 150);
    for (int b = *rc::gen::inRange(1, 4); b > 0; --b) {
      const int length = format.layout == LseLayout::packed_pitch ? first : *rc::gen::inRange(0, 150);
      format.cu_seqlens.push_back(format.cu_seqlens.back() + length);
      format.max_length = std::max(format.max_length, length);
    }
    format.max_length += *rc::gen::inRange(0, 3);
    format.empty_row = *rc::gen::element(EmptyRow::negative_infinity, EmptyRow::positive_infinity);
    std::vector<double> canonical =
        numbered(static_cast<std::size_t>(format.num_heads) * static_cast<std::size_t>(format.cu_seqlens.back()));
    if (!canonical.empty()) canonical[canonical.size() / 2] = -kInfinity;
    std::vector<double> memory(lse_elements(format), kNan);
    write_lse(canonical, format, memory);
    RC_ASSERT(read_lse(memory, format) == canonical);
  }));
}

TEST_CASE("version 2 rows follow one another inside an allocation whose pitch says otherwise")
{
  const LseFormat format{LseLayout::packed_pitch, 2, {0, 3, 6}};
  std::vector<double> memory(2 * 2 * kLsePitch, kNan);
  REQUIRE(lse_elements(format) == memory.size());
  for (std::size_t n = 0; n < 12; ++n)
    memory[n] = static_cast<double>(n);
  // Memory order is sequence, head, row; canonical order head, sequence, row.
  CHECK(read_lse(memory, format) == std::vector<double>{0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11});
  // Read through the shape, everything but sequence 0, head 0 would come out of memory never written.
  const LseFormat by_shape{LseLayout::padded, 2, {0, 3, 6}, kLsePitch};
  const std::vector<double> trapped = read_lse(memory, by_shape);
  CHECK(trapped[1] == 1);
  CHECK(std::isnan(trapped[3]));
  CHECK(std::isnan(trapped[6]));
}

TEST_CASE("version 2's +inf of a fully masked row becomes -inf, and only where the format says so")
{
  LseFormat format{LseLayout::varlen, 1, {0, 3}};
  const std::vector<double> memory{1, kInfinity, -kInfinity};
  CHECK(read_lse(memory, format)[1] == kInfinity);
  format.empty_row = EmptyRow::positive_infinity;
  CHECK(read_lse(memory, format) == std::vector<double>{1, -kInfinity, -kInfinity});
  std::vector<double> back(3);
  write_lse(std::vector<double>{1, -kInfinity, 2}, format, back);
  CHECK(back == std::vector<double>{1, kInfinity, 2});
}

TEST_CASE("base 2 is converted to natural log and back")
{
  const LseFormat format{LseLayout::varlen, 1, {0, 2}, 0, EmptyRow::negative_infinity, LogBase::two};
  const std::vector<double> canonical = read_lse(std::vector<double>{3, -kInfinity}, format);
  CHECK(canonical[0] == doctest::Approx(std::log(8.0)).epsilon(1e-15));
  CHECK(canonical[1] == -kInfinity);
  std::vector<double> back(2);
  write_lse(canonical, format, back);
  CHECK(back[0] == doctest::Approx(3).epsilon(1e-15));
}

TEST_CASE("equal sequences become a [batch, heads, seqlen_q, 1] tensor")
{
  const LseFormat format{LseLayout::varlen, 2, {0, 2, 4}};
  const auto tensor = as_tensor(numbered(8), format);
  CHECK(tensor.batch() == 2);
  CHECK(tensor(1, 0, 1, 0) == 3.5);
  CHECK(tensor(0, 1, 0, 0) == 4.5);
  CHECK_THROWS_AS(as_tensor(numbered(6), {LseLayout::varlen, 2, {0, 1, 3}}), Error);
}

TEST_CASE("inconsistent lengths are refused with the numbers")
{
  const auto refusal = [](std::size_t elements, const LseFormat& format) -> std::string {
    try {
      read_lse(std::vector<double>(elements), format);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(refusal(6, {LseLayout::varlen, 2, {0, 1, 3}}) == "accepted");
  CHECK(refusal(8, {LseLayout::varlen, 2, {0, 1, 3}}) == "LSE layout: memory has 8 elements, the lengths say 6");
  CHECK(refusal(8, {LseLayout::padded, 2, {0, 1, 3}, 1}) == "LSE layout: max_length is 1, sequence 1 has length 2");
  CHECK(refusal(6, {LseLayout::varlen, 2, {1, 3}}) == "LSE layout: cu_seqlens must start at 0, got 1");
  CHECK(refusal(6, {LseLayout::varlen, 2, {0, 3, 2}}) ==
        "LSE layout: cu_seqlens must not descend, sequence 1 has length -1");
  CHECK(refusal(6, {LseLayout::varlen, 2, {0}}) == "LSE layout: cu_seqlens must name at least one sequence");
  CHECK(refusal(6, {LseLayout::varlen, 0, {0, 3}}) == "LSE layout: num_heads must be positive, got 0");
  CHECK(refusal(512, {LseLayout::packed_pitch, 2, {0, 1, 3}}) ==
        "LSE layout: sequences must have equal lengths, sequence 1 has 2, sequence 0 has 1");
}

}  // namespace flashgate::sim
