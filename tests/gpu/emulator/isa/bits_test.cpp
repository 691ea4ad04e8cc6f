// Logic, shifts, bit fields and moves against the pseudo-code of the PTX ISA, bit by bit.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include "form_run.h"

namespace flashgate::gpu::isa {
namespace {

using Sources = std::span<const std::uint64_t>;

int width(Type type)
{
  switch (type) {
    case Type::b16:
    case Type::u16:
    case Type::s16:
      return 16;
    case Type::b64:
    case Type::u64:
    case Type::s64:
      return 64;
    default:
      return 32;
  }
}

std::uint64_t mask_of(int bits) { return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }
bool bit(std::uint64_t value, int position) { return value >> position & 1; }
std::uint64_t one(int position) { return std::uint64_t{1} << position; }

TEST_CASE("logic works on every width")
{
  for (const Type type : {Type::b16, Type::b32, Type::b64}) {
    const auto check = [&](Operation operation, const Reference& reference) {
      check_form({.operation = operation, .type = type}, reference);
    };
    check(Operation::and_, [](Sources s) { return s[0] & s[1]; });
    check(Operation::or_, [](Sources s) { return s[0] | s[1]; });
    check(Operation::xor_, [](Sources s) { return s[0] ^ s[1]; });
    check(Operation::not_, [&](Sources s) { return ~s[0] & mask_of(width(type)); });
    check(Operation::cnot, [](Sources s) { return std::uint64_t{s[0] == 0}; });
    check(Operation::mov, [](Sources s) { return s[0]; });
    check(Operation::selp, [](Sources s) { return s[2] ? s[0] : s[1]; });
  }
}

TEST_CASE("shifts beyond the width shift everything out")
{
  for (const Type type :
       {Type::b16, Type::b32, Type::b64, Type::u16, Type::u32, Type::u64, Type::s16, Type::s32, Type::s64}) {
    const int bits = width(type);
    const bool is_signed = type == Type::s16 || type == Type::s32 || type == Type::s64;
    check_form({.operation = Operation::shl, .type = type},
               [=](Sources s) { return s[1] >= static_cast<std::uint64_t>(bits) ? 0 : s[0] << s[1] & mask_of(bits); });
    check_form({.operation = Operation::shr, .type = type}, [=](Sources s) {
      const int amount = static_cast<int>(std::min<std::uint64_t>(s[1], static_cast<std::uint64_t>(bits)));
      const std::uint64_t fill = is_signed && bit(s[0], bits - 1) ? mask_of(bits) : 0;
      const std::uint64_t low = amount == bits ? 0 : s[0] >> amount;
      return (low | (amount == 0 ? 0 : fill << (bits - amount) % 64)) & mask_of(bits);
    });
  }
}

TEST_CASE("funnel shifts")
{
  const auto check = [](Mode mode, bool left, bool wraps) {
    check_form({.operation = Operation::shf, .type = Type::b32, .mode = mode}, [=](Sources s) {
      const std::uint64_t n = wraps ? s[2] & 31 : std::min<std::uint64_t>(s[2], 32);
      const std::uint64_t a = s[0];
      const std::uint64_t b = s[1];
      return (left ? b << n | a >> (32 - n) : b << (32 - n) | a >> n) & mask_of(32);
    });
  };
  check(Mode::left_clamp, true, false);
  check(Mode::left_wrap, true, true);
  check(Mode::right_clamp, false, false);
  check(Mode::right_wrap, false, true);
}

/// The loop of the ISA's description of bfe.
std::uint64_t extracted(Sources s, int bits, bool is_signed)
{
  const int msb = bits - 1;
  const int position = static_cast<int>(s[1] & 0xFF);
  const int length = static_cast<int>(s[2] & 0xFF);
  const bool sign = is_signed && length != 0 && bit(s[0], std::min(position + length - 1, msb));
  std::uint64_t d = 0;
  for (int i = 0; i <= msb; ++i)
    if (i < length && position + i <= msb ? bit(s[0], position + i) : sign) d |= one(i);
  return d;
}

TEST_CASE("bit fields are extracted and inserted")
{
  for (const Type type : {Type::u32, Type::s32, Type::u64, Type::s64})
    check_form({.operation = Operation::bfe, .type = type},
               [=](Sources s) { return extracted(s, width(type), type == Type::s32 || type == Type::s64); });
  for (const Type type : {Type::b32, Type::b64})
    check_form({.operation = Operation::bfi, .type = type}, [=](Sources s) {
      const int position = static_cast<int>(s[2] & 0xFF);
      const int length = static_cast<int>(s[3] & 0xFF);
      std::uint64_t f = s[1];
      for (int i = 0; i < length && position + i < width(type); ++i)
        f = bit(s[0], i) ? f | one(position + i) : f & ~one(position + i);
      return f;
    });
}

TEST_CASE("bits are counted, found and reversed")
{
  for (const Type type : {Type::b32, Type::b64}) {
    const int bits = width(type);
    check_form({.operation = Operation::popc, .type = type}, [=](Sources s) {
      std::uint64_t count = 0;
      for (int i = 0; i < bits; ++i)
        count += bit(s[0], i);
      return count;
    });
    check_form({.operation = Operation::clz, .type = type}, [=](Sources s) {
      std::uint64_t count = 0;
      while (count < static_cast<std::uint64_t>(bits) && !bit(s[0], bits - 1 - static_cast<int>(count)))
        ++count;
      return count;
    });
    check_form({.operation = Operation::brev, .type = type}, [=](Sources s) {
      std::uint64_t d = 0;
      for (int i = 0; i < bits; ++i)
        if (bit(s[0], i)) d |= one(bits - 1 - i);
      return d;
    });
  }
  for (const Type type : {Type::u32, Type::s32, Type::u64, Type::s64})
    for (const bool shift : {false, true})
      check_form({.operation = shift ? Operation::bfind_shift : Operation::bfind, .type = type}, [=](Sources s) {
        const int msb = width(type) - 1;
        const bool is_signed = type == Type::s32 || type == Type::s64;
        const std::uint64_t a = is_signed && bit(s[0], msb) ? ~s[0] : s[0];
        std::uint64_t d = 0xFFFF'FFFF;
        for (int i = msb; i >= 0; --i)
          if (bit(a, i)) {
            d = static_cast<std::uint64_t>(shift ? msb - i : i);
            break;
          }
        return d;
      });
}

TEST_CASE("the n-th set bit is found upwards and downwards")
{
  const auto small = [](std::mt19937_64& random, int) -> std::uint64_t {
    return random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : static_cast<std::uint32_t>(random() % 50 - 10);
  };
  check_form(
      {.operation = Operation::fns, .type = Type::b32},
      [](Sources s) -> std::uint64_t {
        const auto base = static_cast<std::int64_t>(s[1]);
        const auto offset = static_cast<std::int32_t>(s[2]);
        if (base > 31) return 0xFFFF'FFFF;
        if (offset == 0) return bit(s[0], static_cast<int>(base)) ? s[1] : 0xFFFF'FFFF;
        std::int64_t count = (offset < 0 ? -std::int64_t{offset} : offset) - 1;
        for (std::int64_t at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
          if (!bit(s[0], static_cast<int>(at))) continue;
          if (count == 0) return static_cast<std::uint64_t>(at);
          --count;
        }
        return 0xFFFF'FFFF;
      },
      40, small);
}

/// Byte numbers of (b:a) that d's bytes 3, 2, 1, 0 come from, for selector values 0 to 3: the tables of the ISA.
struct PermuteTable
{
  Mode mode;
  std::array<std::array<int, 4>, 4> bytes;
};
constexpr PermuteTable kPermutes[] = {
    {Mode::f4e, {{{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}}},
    {Mode::b4e, {{{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}}},
    {Mode::rc8, {{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}}},
    {Mode::ecl, {{{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}}},
    {Mode::ecr, {{{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}}},
    {Mode::rc16, {{{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}},
};

TEST_CASE("bytes are permuted in every mode")
{
  const auto byte = [](Sources s, int k) { return (s[1] << 32 | s[0]) >> 8 * k & 0xFF; };
  check_form({.operation = Operation::prmt, .type = Type::b32}, [&](Sources s) {
    std::uint64_t d = 0;
    for (int k = 0; k < 4; ++k) {
      const int selector = static_cast<int>(s[2] >> 4 * k & 0xF);
      const std::uint64_t value = byte(s, selector & 7);
      d |= (selector & 8 ? (bit(value, 7) ? 0xFF : 0) : value) << 8 * k;
    }
    return d;
  });
  for (const PermuteTable& table : kPermutes)
    check_form({.operation = Operation::prmt, .type = Type::b32, .mode = table.mode}, [&](Sources s) {
      std::uint64_t d = 0;
      for (int column = 0; column < 4; ++column)
        d = d << 8 | byte(s, table.bytes[s[2] & 3][static_cast<std::size_t>(column)]);
      return d;
    });
}

TEST_CASE("lop3 looks up every one of its tables")
{
  std::mt19937_64 random(5);
  for (const Core core : available_cores())
    for (unsigned table = 0; table < 256; ++table) {
      FormRun prepared({.operation = Operation::lop3, .type = Type::b32});
      prepared.randomise(random);
      prepared.instruction().immediate = table;
      FormRun run = prepared;
      run.run(core);
      for (int lane = 0; lane < kLanes; ++lane) {
        std::uint64_t d = 0;
        for (int i = 0; i < 32; ++i) {
          const auto at = [&](int k) { return static_cast<int>(prepared.value(k, lane) >> i & 1); };
          if (bit(table, 4 * at(1) + 2 * at(2) + at(3))) d |= one(i);
        }
        REQUIRE(run.value(0, lane) == d);
      }
    }
}

TEST_CASE("values are extended from a bit width, and masks made")
{
  for (const bool clamps : {true, false}) {
    const Mode mode = clamps ? Mode::clamp : Mode::wrap;
    for (const Type type : {Type::u32, Type::s32})
      check_form({.operation = Operation::szext, .type = type, .mode = mode}, [=](Sources s) {
        const std::uint64_t bits = clamps ? std::min<std::uint64_t>(s[1], 32) : s[1] & 31;
        std::uint64_t d = 0;
        for (int i = 0; i < 32; ++i) {
          const bool inside = static_cast<std::uint64_t>(i) < bits;
          const bool sign = type == Type::s32 && bits > 0 && bit(s[0], static_cast<int>(bits) - 1);
          if (inside ? bit(s[0], i) : sign) d |= one(i);
        }
        return d;
      });
    check_form({.operation = Operation::bmsk, .type = Type::b32, .mode = mode}, [=](Sources s) {
      const std::uint64_t from = clamps ? std::min<std::uint64_t>(s[0], 32) : s[0] & 31;
      const std::uint64_t length = clamps ? std::min<std::uint64_t>(s[1], 32) : s[1] & 31;
      std::uint64_t d = 0;
      for (std::uint64_t i = from; i < std::min<std::uint64_t>(from + length, 32); ++i)
        d |= one(static_cast<int>(i));
      return d;
    });
  }
}

struct Parts
{
  Type whole;
  Type part;
};
constexpr Parts kParts[] = {{Type::b32, Type::b16}, {Type::b64, Type::b32}, {Type::b64, Type::b16}};

TEST_CASE("mov packs and unpacks vectors, the first element lowest")
{
  std::mt19937_64 random(6);
  for (const Core core : available_cores())
    for (const Parts& parts : kParts) {
      const int count = width(parts.whole) / width(parts.part);
      FormRun packed({.operation = Operation::pack, .type = parts.whole, .other = parts.part});
      packed.randomise(random);
      packed.run(core);
      FormRun unpacked({.operation = Operation::unpack, .type = parts.whole, .other = parts.part});
      for (int lane = 0; lane < kLanes; ++lane)
        unpacked.set(count, lane, packed.value(0, lane));
      unpacked.instruction().slot[1] = kNoSlot;
      unpacked.run(core);
      for (int lane = 0; lane < kLanes; ++lane) {
        std::uint64_t whole = 0;
        for (int k = 0; k < count; ++k)
          whole |= packed.value(1 + k, lane) << k * width(parts.part);
        REQUIRE(packed.value(0, lane) == whole);
        for (int k = 0; k < count; ++k)
          REQUIRE(unpacked.value(k, lane) == (k == 1 ? 0 : packed.value(1 + k, lane)));
      }
    }
}

TEST_CASE("predicates are combined, negated and constant")
{
  std::mt19937_64 random(8);
  for (const Core core : available_cores())
    for (unsigned negated = 0; negated < 4; ++negated) {
      const auto run = [&](Operation operation) {
        FormRun form({.operation = operation, .type = Type::pred});
        form.set_predicate(1, 0x0F0F'3355);
        form.set_predicate(2, 0x00FF'5533);
        form.instruction().a = negated << 1;
        form.run(core);
        return form.predicate(0);
      };
      const LaneMask p = 0x0F0F'3355 ^ (negated & 1 ? kAllLanes : 0);
      const LaneMask q = 0x00FF'5533 ^ (negated & 2 ? kAllLanes : 0);
      CHECK(run(Operation::and_) == (p & q));
      CHECK(run(Operation::or_) == (p | q));
      CHECK(run(Operation::xor_) == (p ^ q));
      if (negated < 2) CHECK(run(Operation::not_) == ~p);
      FormRun constant({.operation = Operation::mov, .type = Type::pred});
      constant.instruction().slot[1] = kNoSlot;
      constant.instruction().a = negated << 1;
      constant.run(core, 0xFF);
      CHECK(constant.predicate(0) == (negated & 1 ? 0 : 0xFF));
    }
}

}  // namespace
}  // namespace flashgate::gpu::isa
