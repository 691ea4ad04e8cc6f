#include <functional>

#include <doctest/doctest.h>

#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

struct DivergenceCase
{
  const char* name;
  const char* body;
  std::function<std::uint32_t(std::uint32_t lane)> expected;
};

std::uint32_t collatz(std::uint32_t value)
{
  std::uint32_t steps = 0;
  for (; value != 1; ++steps)
    value = (value & 1) != 0 ? 3 * value + 1 : value / 2;
  return steps;
}

std::uint32_t nested(std::uint32_t lane)
{
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < lane % 7; ++i) {
    if (i == 4) break;
    if ((i & 1) != 0) continue;
    sum += i * 10 + lane;
  }
  return sum;
}

const DivergenceCase kCases[] = {
    {"if and else meet again",
     "setp.lt.u32 %p1, %r0, 10; @%p1 bra A; mov.u32 %r2, 2; bra B; A: mov.u32 %r2, 1; B: add.u32 %r2, %r2, 10;\n"
     "activemask.b32 %r3; popc.b32 %r3, %r3; mad.lo.u32 %r2, %r3, 100, %r2;",
     [](std::uint32_t lane) { return 3200 + (lane < 10 ? 11U : 12U); }},
    {"trip counts differ from lane to lane",
     "add.u32 %r3, %r0, 1; mov.u32 %r2, 0; setp.eq.u32 %p1, %r3, 1; @%p1 bra D;\n"
     "L: and.b32 %r4, %r3, 1; setp.eq.u32 %p2, %r4, 1; @%p2 bra O; shr.u32 %r3, %r3, 1; bra N;\n"
     "O: mad.lo.u32 %r3, %r3, 3, 1; N: add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r3, 1; @%p1 bra L; D:",
     [](std::uint32_t lane) { return collatz(lane + 1); }},
    {"break and continue in a loop",
     "mov.u32 %r2, 0; mov.u32 %r3, 0; rem.u32 %r4, %r0, 7;\n"
     "L: setp.ge.u32 %p1, %r3, %r4; @%p1 bra E; setp.eq.u32 %p2, %r3, 4; @%p2 bra E;\n"
     "and.b32 %r5, %r3, 1; setp.ne.u32 %p3, %r5, 0; @%p3 bra C; mad.lo.u32 %r6, %r3, 10, %r0; add.u32 %r2, %r2, %r6;\n"
     "C: add.u32 %r3, %r3, 1; bra L; E:",
     nested},
    {"a table of targets",
     "T: .branchtargets A, B, C; and.b32 %r3, %r0, 3; min.u32 %r3, %r3, 2; brx.idx %r3, T;\n"
     "A: mov.u32 %r2, 100; bra E; B: mov.u32 %r2, 200; bra E; C: mov.u32 %r2, 300; E: add.u32 %r2, %r2, %r0;",
     [](std::uint32_t lane) { return (std::min(lane & 3, 2U) + 1) * 100 + lane; }},
    {"some return early", "setp.ge.u32 %p1, %r0, 20; @%p1 ret; activemask.b32 %r3; popc.b32 %r2, %r3;",
     [](std::uint32_t lane) { return lane < 20 ? 20U : 0U; }},
    {"some exit inside a branch inside a loop",
     "mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, %r0; @%p1 bra X; setp.lt.u32 %p2, %r2, 16;\n"
     "@%p2 bra L; bra E; X: exit; E: ",
     [](std::uint32_t lane) { return lane >= 1 && lane <= 16 ? 0U : 16U; }},
    {"the way through a guarded instruction",
     "mov.u32 %r2, 7; setp.eq.u32 %p1, %r0, 3; @%p1 bra S; S: @%p1 mov.u32 %r2, 9;",
     [](std::uint32_t lane) { return lane == 3 ? 9U : 7U; }},
};

}  // namespace

TEST_CASE("lanes that take different ways do what they would do alone, in any order")
{
  for (const DivergenceCase& test : kCases) {
    CAPTURE(std::string(test.name));
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      for (const bool checked : {true, false}) {
        EngineRig kernel = rig(test.body);
        kernel.options.seed = seed;
        kernel.checked = checked;
        if (!checked) kernel.options.checks = CheckSet::always();
        const Outcome outcome = kernel.run();
        CHECK(outcome.result.completed);
        CHECK(outcome.checks() == "");
        for (std::uint32_t lane = 0; lane < 32; ++lane)
          CHECK(outcome.out[lane] == test.expected(lane));
      }
    }
  }
}

TEST_CASE("a lock that one lane holds while its neighbours spin is handed on")
{
  const char* const kTakenAndGivenInTheLoop =
      "mov.u64 %rd2, lock; mov.u64 %rd3, count;\n"
      "L: atom.global.acquire.gpu.cas.b32 %r3, [%rd2], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;\n"
      "ld.volatile.global.u32 %r4, [%rd3]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd3], %r4;\n"
      "membar.gl; atom.global.exch.b32 %r5, [%rd2], 0; bar.sync 0; ld.volatile.global.u32 %r2, [%rd3];";
  EngineRig kernel = rig(kTakenAndGivenInTheLoop, 64);
  kernel.declarations = ".global .align 4 .u32 lock;\n.global .align 4 .u32 count;\n";
  for (const std::uint64_t seed : {0, 5}) {
    kernel.options.seed = seed;
    const Outcome outcome = kernel.run();
    CHECK(outcome.result.completed);
    CHECK(outcome.checks() == "");
    CHECK(outcome.out == std::vector<std::uint32_t>(64, 64));
  }
}

TEST_CASE("lanes of a warp may wait for a flag that another lane of it sets later")
{
  EngineRig kernel =
      rig("mov.u64 %rd2, flag; setp.eq.u32 %p1, %r0, 31; @%p1 bra SET;\n"
          "W: ld.relaxed.gpu.global.u32 %r3, [%rd2]; setp.eq.u32 %p2, %r3, 0; @%p2 bra W; bra E;\n"
          "SET: st.relaxed.gpu.global.u32 [%rd2], 5; mov.u32 %r3, 5; E: mov.u32 %r2, %r3;");
  kernel.declarations = ".global .align 4 .u32 flag;\n";
  const Outcome outcome = kernel.run();
  CHECK(outcome.result.completed);
  CHECK(outcome.out == std::vector<std::uint32_t>(32, 5));
}

}  // namespace flashgate::gpu
