// Exchange between lanes against the pseudo-code of the PTX ISA.
#include <doctest/doctest.h>

#include "form_run.h"

namespace flashgate::gpu::isa {
namespace {

constexpr LaneMask kMasks[] = {kAllLanes, 0x0000'FFFF, 0x8000'0001, 0x5555'5555, 0x0000'0100};

struct Shuffle
{
  int from;
  bool inside;
};

/// The ISA's computation of j and pval.
Shuffle shuffled(Mode mode, int lane, unsigned b, unsigned c)
{
  const int bval = static_cast<int>(b & 0x1F);
  const int cval = static_cast<int>(c & 0x1F);
  const int segmask = static_cast<int>(c >> 8 & 0x1F);
  const int max_lane = (lane & segmask) | (cval & ~segmask & 0x1F);
  const int min_lane = lane & segmask;
  int j = 0;
  bool inside = false;
  switch (mode) {
    case Mode::up:
      j = lane - bval;
      inside = j >= max_lane;
      break;
    case Mode::down:
      j = lane + bval;
      inside = j <= max_lane;
      break;
    case Mode::bfly:
      j = lane ^ bval;
      inside = j <= max_lane;
      break;
    default:
      j = min_lane | (bval & ~segmask & 0x1F);
      inside = j <= max_lane;
      break;
  }
  return {inside ? j : lane, inside};
}

void fill(FormRun& run, int operand, std::uint64_t bits)
{
  for (int lane = 0; lane < kLanes; ++lane)
    run.set(operand, lane, bits);
}

TEST_CASE("shfl moves values within segments of every width")
{
  std::mt19937_64 random(41);
  for (const Core core : available_cores())
    for (const Mode mode : {Mode::up, Mode::down, Mode::bfly, Mode::idx})
      for (const LaneMask mask : kMasks)
        for (const unsigned segment : {1u, 2u, 4u, 8u, 16u, 32u})
          for (unsigned b = 0; b < 33; ++b) {
            // nvcc's encoding of a width: the clamp is 0 for up and 31 else.
            const unsigned c = (32 - segment) << 8 | (mode == Mode::up ? 0 : 31);
            FormRun prepared({.operation = Operation::shfl, .type = Type::b32, .mode = mode});
            prepared.randomise(random);
            for (int lane = 0; lane < kLanes; ++lane) {
              prepared.set(3, lane, mode == Mode::idx && b == 32 ? random() : b);
              prepared.set(4, lane, b % 5 == 4 ? random() : c);
            }
            fill(prepared, 5, mask);
            FormRun run = prepared;
            run.run(core, mask);
            for (int lane = 0; lane < kLanes; ++lane) {
              const auto operand = [&](int k) { return static_cast<unsigned>(prepared.value(k, lane)); };
              const Shuffle wanted = shuffled(mode, lane, operand(3), operand(4));
              const int from = mask >> wanted.from & 1 ? wanted.from : lane;
              const bool on = mask >> lane & 1;
              REQUIRE(run.value(0, lane) == (on ? prepared.value(2, from) : prepared.value(0, lane)));
              REQUIRE((run.predicate(1) >> lane & 1) == (on ? wanted.inside : prepared.predicate(1) >> lane & 1));
            }
          }
}

TEST_CASE("shfl can leave out either destination")
{
  for (const Core core : available_cores())
    for (const int left_out : {0, 1}) {
      FormRun run({.operation = Operation::shfl, .type = Type::b32, .mode = Mode::bfly});
      for (int lane = 0; lane < kLanes; ++lane)
        run.set(2, lane, static_cast<std::uint64_t>(100 + lane));
      fill(run, 3, 1);
      fill(run, 4, 31);
      fill(run, 5, kAllLanes);
      run.instruction().slot[static_cast<std::size_t>(left_out)] = kNoSlot;
      run.run(core);
      CHECK(run.value(0, 6) == (left_out == 0 ? 0 : 107));
      CHECK(run.predicate(1) == (left_out == 1 ? 0 : kAllLanes));
    }
}

TEST_CASE("votes count the members that are on")
{
  for (const Core core : available_cores())
    for (const LaneMask mask : kMasks)
      for (const LaneMask members : {kAllLanes, LaneMask{0x00FF'FFFF}})
        for (const LaneMask p : {LaneMask{0}, kAllLanes, LaneMask{0x0000'0101}, LaneMask{0x5555'5555}})
          for (const bool negated : {false, true}) {
            const LaneMask part = mask & members;
            // A mask without a member cannot occur: whoever votes is one.
            if (part == 0 || (members >> __builtin_ctz(mask) & 1) == 0) continue;
            const LaneMask votes = (negated ? ~p : p) & part;
            const auto vote = [&](Mode mode) {
              FormRun run(
                  {.operation = Operation::vote, .type = mode == Mode::ballot ? Type::b32 : Type::pred, .mode = mode});
              run.set_predicate(1, p);
              run.instruction().a = negated ? 2 : 0;
              fill(run, 2, members);
              run.run(core, mask);
              return mode == Mode::ballot ? static_cast<LaneMask>(run.value(0, __builtin_ctz(mask))) : run.predicate(0);
            };
            CHECK(vote(Mode::ballot) == votes);
            CHECK(vote(Mode::all) == (votes == part ? mask : 0));
            CHECK(vote(Mode::any) == (votes != 0 ? mask : 0));
            CHECK(vote(Mode::uni) == (votes == part || votes == 0 ? mask : 0));
          }
}

TEST_CASE("match finds equal values among the members")
{
  std::mt19937_64 random(43);
  for (const Core core : available_cores())
    for (const Type type : {Type::b32, Type::b64})
      for (const LaneMask mask : kMasks)
        for (const bool equal : {false, true}) {
          const auto value = [&](int lane) -> std::uint64_t {
            return (type == Type::b64 ? 0x1'0000'0000 : 1) * static_cast<std::uint64_t>(equal ? 5 : lane % 3);
          };
          FormRun any({.operation = Operation::match_any, .type = type});
          FormRun all({.operation = Operation::match_all, .type = type});
          for (int lane = 0; lane < kLanes; ++lane) {
            any.set(1, lane, value(lane));
            all.set(2, lane, value(lane));
          }
          fill(any, 2, mask);
          fill(all, 3, mask);
          any.run(core, mask);
          all.run(core, mask);
          bool all_same = true;
          for (int lane = 0; lane < kLanes; ++lane) {
            LaneMask same = 0;
            for (int other = 0; other < kLanes; ++other)
              if (mask >> other & 1 && value(other) == value(lane)) same |= 1u << other;
            const bool on = mask >> lane & 1;
            if (on) all_same = all_same && same == mask;
            REQUIRE(any.value(0, lane) == (on ? same : 0));
          }
          CHECK(all.predicate(1) == (all_same ? mask : 0));
          for (int lane = 0; lane < kLanes; ++lane)
            REQUIRE(all.value(0, lane) == (all_same && (mask >> lane & 1) ? mask : 0));
        }
}

struct Reduction
{
  Type type;
  Mode mode;
  std::uint32_t (*apply)(std::uint32_t, std::uint32_t);
};
constexpr Reduction kReductions[] = {
    {Type::u32, Mode::redux_add, [](std::uint32_t x, std::uint32_t y) { return x + y; }},
    {Type::s32, Mode::redux_add, [](std::uint32_t x, std::uint32_t y) { return x + y; }},
    {Type::u32, Mode::redux_min, [](std::uint32_t x, std::uint32_t y) { return x < y ? x : y; }},
    {Type::u32, Mode::redux_max, [](std::uint32_t x, std::uint32_t y) { return x > y ? x : y; }},
    {Type::s32, Mode::redux_min,
     [](std::uint32_t x, std::uint32_t y) {
       return static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y) ? x : y;
     }},
    {Type::s32, Mode::redux_max,
     [](std::uint32_t x, std::uint32_t y) {
       return static_cast<std::int32_t>(x) > static_cast<std::int32_t>(y) ? x : y;
     }},
    {Type::b32, Mode::redux_and, [](std::uint32_t x, std::uint32_t y) { return x & y; }},
    {Type::b32, Mode::redux_or, [](std::uint32_t x, std::uint32_t y) { return x | y; }},
    {Type::b32, Mode::redux_xor, [](std::uint32_t x, std::uint32_t y) { return x ^ y; }},
};

TEST_CASE("redux reduces over the members")
{
  std::mt19937_64 random(44);
  for (const Core core : available_cores())
    for (const Reduction& reduction : kReductions)
      for (const LaneMask mask : kMasks) {
        FormRun prepared({.operation = Operation::redux, .type = reduction.type, .mode = reduction.mode});
        prepared.randomise(random);
        fill(prepared, 2, mask);
        FormRun run = prepared;
        run.run(core, mask);
        bool first = true;
        std::uint32_t total = 0;
        for (int lane = 0; lane < kLanes; ++lane) {
          if (!(mask >> lane & 1)) continue;
          const auto value = static_cast<std::uint32_t>(prepared.value(1, lane));
          total = first ? value : reduction.apply(total, value);
          first = false;
        }
        for (int lane = 0; lane < kLanes; ++lane)
          REQUIRE(run.value(0, lane) == (mask >> lane & 1 ? total : prepared.value(0, lane)));
      }
}

TEST_CASE("activemask is the mask")
{
  for (const Core core : available_cores()) {
    FormRun run({.operation = Operation::activemask, .type = Type::b32});
    run.run(core, 0x0F00'0010);
    CHECK(run.value(0, 4) == 0x0F00'0010);
    CHECK(run.value(0, 5) == 0);
  }
}

}  // namespace
}  // namespace flashgate::gpu::isa
