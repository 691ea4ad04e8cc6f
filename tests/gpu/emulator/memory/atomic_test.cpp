#include <bit>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "gpu/emulator/memory/atomic_value.h"
#include "gpu/emulator/memory/half_sum.h"
#include "tests/gpu/emulator/memory/memory_fixture.h"

namespace flashgate::gpu {
namespace {

using enum AtomicOperation;
using enum AtomicType;

std::uint32_t f32_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace

TEST_CASE("every atomic leaves what the PTX ISA says")
{
  struct Row
  {
    AtomicOperation operation;
    AtomicType type;
    std::uint32_t bytes;
    std::uint64_t old, operand, fresh, expected;
  };
  const std::uint64_t minus_one = 0xFFFF'FFFF;
  const Row rows[] = {
      {add, unsigned_integer, 4, 5, 7, 0, 12},
      {add, unsigned_integer, 8, ~0ULL, 2, 0, 1},
      {min, signed_integer, 4, minus_one, 3, 0, minus_one},
      {min, unsigned_integer, 4, minus_one, 3, 0, 3},
      {max, signed_integer, 4, minus_one, 3, 0, 3},
      {max, unsigned_integer, 4, minus_one, 3, 0, minus_one},
      {max, signed_integer, 8, ~0ULL, 3, 0, 3},
      {inc, unsigned_integer, 4, 4, 5, 0, 5},
      {inc, unsigned_integer, 4, 5, 5, 0, 0},
      {inc, unsigned_integer, 4, 9, 5, 0, 0},
      {dec, unsigned_integer, 4, 3, 5, 0, 2},
      {dec, unsigned_integer, 4, 0, 5, 0, 5},
      {dec, unsigned_integer, 4, 9, 5, 0, 5},
      {bit_and, AtomicType::bits, 4, 12, 10, 0, 8},
      {bit_or, AtomicType::bits, 4, 12, 10, 0, 14},
      {bit_xor, AtomicType::bits, 8, 12, 10, 0, 6},
      {exchange, AtomicType::bits, 8, 1, 2, 0, 2},
      {cas, AtomicType::bits, 4, 1, 1, 9, 9},
      {cas, AtomicType::bits, 4, 1, 2, 9, 1},
      {cas, AtomicType::bits, 2, 7, 7, 8, 8},
      {add, f16x2, 4, 0x3C00'4000, 0x3C00'3C00, 0, 0x4000'4200},
      {add, bf16x2, 4, 0x3F80'4000, 0x3F80'3F80, 0, 0x4000'4040},
      {add, f64, 8, std::bit_cast<std::uint64_t>(1.5), std::bit_cast<std::uint64_t>(2.0), 0,
       std::bit_cast<std::uint64_t>(3.5)},
      {add, f32, 4, f32_bits(1.5F), f32_bits(2.0F), 0, f32_bits(3.5F)},
  };
  for (const Row& row : rows) {
    REQUIRE(is_atomic(row.operation, row.type, row.bytes));
    const std::uint64_t mask = row.bytes == 8 ? ~0ULL : (1ULL << 8 * row.bytes) - 1;
    const auto result = atomic_value(row.operation, row.type, row.bytes, true, row.old, row.operand, row.fresh);
    CHECK((result & mask) == row.expected);
  }
}

TEST_CASE("f32 sums flush subnormal numbers on global memory only")
{
  const float tiny = std::numeric_limits<float>::denorm_min();
  CHECK(atomic_sum(tiny, tiny, false) == 2 * tiny);
  CHECK(f32_bits(atomic_sum(tiny, tiny, true)) == 0);
  CHECK(f32_bits(atomic_sum(-tiny, -tiny, true)) == f32_bits(-0.0F));
  CHECK(atomic_sum(1.0F, tiny, true) == 1.0F);
}

TEST_CASE("16-bit sums round once, to the nearest even")
{
  struct Row
  {
    std::uint16_t a, b, f16, bf16;
  };
  const Row rows[] = {
      {0x0001, 0x0001, 0x0002, 0x0002},  // subnormal numbers
      {0x7BFF, 0x7BFF, 0x7C00, 0x7C7F},  // f16: beyond the largest; bf16: finite
      {0x7C00, 0xFC00, 0x7FFF, 0x0000},  // f16: inf - inf
      {0x3C00, 0x1000, 0x3C00, 0x3C00},  // half a unit of f16, to even
      {0x3C01, 0x1000, 0x3C02, 0x3C01},  // half a unit of f16, up to even
      {0x8000, 0x8000, 0x8000, 0x8000},
  };
  for (const Row& row : rows) {
    CHECK(f16_sum(row.a, row.b) == row.f16);
    CHECK(bf16_sum(row.a, row.b) == row.bf16);
  }
}

TEST_CASE("adding zero gives every f16 and bf16 back")
{
  for (unsigned i = 0; i < 65536; ++i) {
    const auto value = static_cast<std::uint16_t>(i);
    const bool f16_nan = (i & 0x7FFF) > 0x7C00;
    const bool bf16_nan = (i & 0x7FFF) > 0x7F80;
    REQUIRE(f16_sum(value, 0x8000) == (f16_nan ? 0x7FFF : value));
    REQUIRE(bf16_sum(value, 0x8000) == (bf16_nan ? 0x7FFF : value));
  }
}

TEST_CASE("lanes take turns, and each gets the value it found")
{
  for (const StateSpace space : {StateSpace::global, StateSpace::shared}) {
    for (const bool checked : {false, true}) {
      MemoryFixture f;
      f.checked = checked;
      const std::uint64_t counter = space == StateSpace::global ? f.global.allocate(4, "counter") : 0;
      if (space == StateSpace::global) f.global.fill(counter, std::byte{0}, 4);
      f.block().written.set(0, 4);
      std::fill_n(f.block().shared.begin(), 4, std::byte{0});
      std::fill_n(f.lanes<std::uint32_t>(f.warp(0), 1), isa::kLanes, 2U);
      f.access(f.warp(0), add_form(space), strided(counter, 0), 0x0F0F'0F0FU);
      std::uint32_t expected = 0;
      for (std::uint32_t lane = 0; lane < isa::kLanes; ++lane) {
        if ((0x0F0F'0F0FU >> lane & 1) == 0) continue;
        CHECK(f.lanes<std::uint32_t>(f.warp(0), 0)[lane] == expected);
        expected += 2;
      }
      CHECK(f.findings.findings().empty());
    }
  }
}

TEST_CASE("red sums f32, of vectors too, checked and not")
{
  for (const bool checked : {false, true}) {
    for (const std::uint8_t count : std::initializer_list<std::uint8_t>{1, 2, 4}) {
      MemoryFixture f;
      f.checked = checked;
      const std::uint64_t sums = f.global.allocate(32 * 4 * count, "sums");
      f.global.fill(sums, std::byte{0}, 32 * 4 * count);
      MemoryForm form = add_form(StateSpace::global);
      form.operation = MemoryOperation::reduce;
      form.type = f32;
      form.count = count;
      for (std::uint32_t k = 0; k < count; ++k) {
        for (std::uint32_t lane = 0; lane < 32; ++lane)
          f.lanes<float>(f.warp(0), count + k)[lane] = static_cast<float>(lane + k);
      }
      for (int i = 0; i < 2; ++i)
        f.access(f.warp(0), form, strided(sums, 4U * count));
      for (std::uint32_t i = 0; i < 32U * count; ++i) {
        CHECK(reinterpret_cast<const float*>(sums)[i] == static_cast<float>(2 * (i / count + i % count)));
      }
      CHECK(f.findings.findings().empty());
    }
  }
}

}  // namespace flashgate::gpu
