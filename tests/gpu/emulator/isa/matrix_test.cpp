// mma.sync and movmatrix: fragments by the index formulas of the PTX ISA, sums by fma() in ascending k.
#include <bit>
#include <cmath>

#include <doctest/doctest.h>

#include "form_run.h"
#include "half_oracle.h"

namespace flashgate::gpu::isa {
namespace {

struct Place
{
  int row;
  int column;
};

/// One variant of mma.m16n8: how many k there are and how many a register holds.
struct Variant
{
  Shape shape;
  int depth;
  Type sums;
  Type a;
  Type b;
  int per_register;  ///< elements of A or B in a 32-bit register
  bool satfinite = false;
};

constexpr Variant kFloatVariants[] = {
    {Shape::m16n8k8, 8, Type::f32, Type::f16, Type::f16, 2},
    {Shape::m16n8k16, 16, Type::f32, Type::f16, Type::f16, 2},
    {Shape::m16n8k8, 8, Type::f16, Type::f16, Type::f16, 2},
    {Shape::m16n8k16, 16, Type::f16, Type::f16, Type::f16, 2},
    {Shape::m16n8k8, 8, Type::f32, Type::bf16, Type::bf16, 2},
    {Shape::m16n8k16, 16, Type::f32, Type::bf16, Type::bf16, 2},
    {Shape::m16n8k4, 4, Type::f32, Type::tf32, Type::tf32, 1},
    {Shape::m16n8k8, 8, Type::f32, Type::tf32, Type::tf32, 1},
};

constexpr Variant kByteVariants[] = {
    {Shape::m16n8k16, 16, Type::s32, Type::s8, Type::s8, 4},
    {Shape::m16n8k16, 16, Type::s32, Type::u8, Type::s8, 4, true},
    {Shape::m16n8k32, 32, Type::s32, Type::s8, Type::u8, 4},
    {Shape::m16n8k32, 32, Type::s32, Type::u8, Type::u8, 4},
    {Shape::m16n8k32, 32, Type::s32, Type::s8, Type::s8, 4, true},
};

Form form_of(const Variant& v)
{
  return {.operation = Operation::mma,
          .type = v.sums,
          .other = v.a,
          .third = v.b,
          .shape = v.shape,
          .satfinite = v.satfinite};
}

// groupID = lane >> 2, threadID_in_group = lane % 4. Element i of a fragment, as in "Matrix Fragments for
// mma.m16n8k...": A: row = groupID, + 8 for every other register; column = threadID * n + i % n, + 4n for the later
// registers.
Place place_of_a(const Variant& v, int lane, int i)
{
  const int reg = i / v.per_register;
  return {(lane >> 2) + (reg % 2 == 1 ? 8 : 0),
          lane % 4 * v.per_register + i % v.per_register + reg / 2 * 4 * v.per_register};
}
Place place_of_b(const Variant& v, int lane, int i)
{
  const int reg = i / v.per_register;
  return {lane % 4 * v.per_register + i % v.per_register + reg * 4 * v.per_register, lane >> 2};
}
Place place_of_c(int lane, int i) { return {(lane >> 2) + (i >= 2 ? 8 : 0), lane % 4 * 2 + i % 2}; }

using Matrix = std::vector<std::vector<std::uint64_t>>;  ///< bits of elements

Matrix make_matrix(int rows, int columns, const std::function<std::uint64_t()>& draw)
{
  Matrix m(static_cast<std::size_t>(rows), std::vector<std::uint64_t>(static_cast<std::size_t>(columns)));
  for (auto& row : m)
    for (std::uint64_t& element : row)
      element = draw();
  return m;
}
std::uint64_t& at(Matrix& m, Place place)
{
  return m[static_cast<std::size_t>(place.row)][static_cast<std::size_t>(place.column)];
}

int bits_of(Type type)
{
  if (type == Type::s8 || type == Type::u8) return 8;
  return type == Type::f16 || type == Type::bf16 ? 16 : 32;
}

/// Writes a fragment's elements into consecutive operands from `first` on.
template <typename PlaceOf>
void load_fragment(FormRun& run, int first, int count, int bits, Matrix& m, PlaceOf place_of)
{
  const int per_register = 32 / bits;
  for (int lane = 0; lane < kLanes; ++lane)
    for (int reg = 0; reg < count / per_register; ++reg) {
      std::uint64_t word = 0;
      for (int k = 0; k < per_register; ++k)
        word |= at(m, place_of(lane, reg * per_register + k)) << k * bits;
      run.set(first + reg, lane, word);
    }
}

/// D of the instruction, given A, B and C.
Matrix multiplied(const Variant& v, Core core, Matrix& a, Matrix& b, Matrix& c)
{
  FormRun run(form_of(v));
  const int sums = 4 * bits_of(v.sums) / 32;
  const int a_count = 16 * v.depth / 32;
  const int b_count = 8 * v.depth / 32;
  const int a_at = sums;
  const int b_at = a_at + a_count / v.per_register;
  const int c_at = b_at + b_count / v.per_register;
  REQUIRE(static_cast<int>(run.list().size()) == c_at + sums);
  load_fragment(run, a_at, a_count, bits_of(v.a), a, [&](int lane, int i) { return place_of_a(v, lane, i); });
  load_fragment(run, b_at, b_count, bits_of(v.b), b, [&](int lane, int i) { return place_of_b(v, lane, i); });
  load_fragment(run, c_at, 4, bits_of(v.sums), c, place_of_c);
  run.run(core);
  Matrix d = make_matrix(16, 8, [] { return 0; });
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < 4; ++i) {
      const int per_register = 32 / bits_of(v.sums);
      const std::uint64_t word = run.value(i / per_register, lane);
      at(d, place_of_c(lane, i)) = per_register == 1 ? word : word >> 16 * (i % 2) & 0xFFFF;
    }
  return d;
}

float element_value(Type type, std::uint64_t bits)
{
  if (type == Type::f16) return static_cast<float>(half_value(HalfFormat::f16, bits));
  if (type == Type::bf16) return static_cast<float>(half_value(HalfFormat::bf16, bits));
  return std::bit_cast<float>(static_cast<std::uint32_t>(type == Type::tf32 ? bits & 0xFFFF'E000 : bits));
}

std::uint64_t expected_element(const Variant& v, Matrix& a, Matrix& b, Matrix& c, int row, int column)
{
  float sum = element_value(v.sums, at(c, {row, column}));
  for (int k = 0; k < v.depth; ++k)
    sum = std::fma(element_value(v.a, at(a, {row, k})), element_value(v.b, at(b, {k, column})), sum);
  if (v.sums == Type::f16) return rounded_half(HalfFormat::f16, sum, Rounding::rn);
  return std::isnan(sum) ? 0x7FFF'FFFF : std::bit_cast<std::uint32_t>(sum);
}

std::uint64_t drawn(std::mt19937_64& random, Type type, int round)
{
  const int bytes = bits_of(type) / 8;
  // Rounds of ordinary numbers, of anything at all, and of the far ends of the exponent, where products are not exact.
  if (round % 3 == 1) return interesting_value(random, bytes);
  const double magnitude =
      std::ldexp(1 + static_cast<double>(random() % 4096) / 4096, static_cast<int>(random() % 12) - 6);
  const double scale = round % 3 == 2 && type != Type::f16 ? std::ldexp(1.0, random() % 2 ? 70 : -75) : 1;
  const double value = (random() % 2 ? 1 : -1) * magnitude * scale;
  if (type == Type::f16) return rounded_half(HalfFormat::f16, value, Rounding::rn);
  if (type == Type::bf16) return rounded_half(HalfFormat::bf16, value, Rounding::rn);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

TEST_CASE("mma of floating types sums in ascending k with one rounding per step")
{
  std::mt19937_64 random(51);
  for (const Variant& v : kFloatVariants)
    for (int round = 0; round < 30; ++round) {
      Matrix a = make_matrix(16, v.depth, [&] { return drawn(random, v.a, round); });
      Matrix b = make_matrix(v.depth, 8, [&] { return drawn(random, v.b, round); });
      Matrix c = make_matrix(16, 8, [&] { return drawn(random, v.sums, round); });
      for (const Core core : available_cores()) {
        Matrix d = multiplied(v, core, a, b, c);
        for (int row = 0; row < 16; ++row)
          for (int column = 0; column < 8; ++column)
            REQUIRE_MESSAGE(at(d, {row, column}) == expected_element(v, a, b, c, row, column), describe(form_of(v)),
                            " on ", std::string(core_name(core)), " row ", row, " column ", column);
      }
    }
}

std::int64_t byte_value(Type type, std::uint64_t bits)
{
  return type == Type::s8 ? static_cast<std::int8_t>(bits) : static_cast<std::uint8_t>(bits);
}

TEST_CASE("mma of bytes is exact, wraps around or saturates")
{
  std::mt19937_64 random(52);
  for (const Variant& v : kByteVariants)
    for (int round = 0; round < 20; ++round) {
      Matrix a = make_matrix(16, v.depth, [&] { return random() & 0xFF; });
      Matrix b = make_matrix(v.depth, 8, [&] { return random() & 0xFF; });
      Matrix c = make_matrix(16, 8, [&] { return interesting_value(random, 4); });
      for (const Core core : available_cores()) {
        Matrix d = multiplied(v, core, a, b, c);
        for (int row = 0; row < 16; ++row)
          for (int column = 0; column < 8; ++column) {
            std::int64_t sum = static_cast<std::int32_t>(at(c, {row, column}));
            for (int k = 0; k < v.depth; ++k)
              sum += byte_value(v.a, at(a, {row, k})) * byte_value(v.b, at(b, {k, column}));
            if (v.satfinite) sum = std::min<std::int64_t>(std::max<std::int64_t>(sum, INT32_MIN), INT32_MAX);
            REQUIRE(at(d, {row, column}) == static_cast<std::uint32_t>(sum));
          }
      }
    }
}

TEST_CASE("movmatrix transposes")
{
  for (const Core core : available_cores()) {
    FormRun run({.operation = Operation::movmatrix, .type = Type::b16});
    const auto element = [](int row, int column) { return static_cast<std::uint64_t>(row * 256 + column); };
    for (int lane = 0; lane < kLanes; ++lane)
      run.set(1, lane, element(lane / 4, lane % 4 * 2) | element(lane / 4, lane % 4 * 2 + 1) << 16);
    run.run(core);
    for (int lane = 0; lane < kLanes; ++lane)
      REQUIRE(run.value(0, lane) == (element(lane % 4 * 2, lane / 4) | element(lane % 4 * 2 + 1, lane / 4) << 16));
  }
}

}  // namespace
}  // namespace flashgate::gpu::isa
