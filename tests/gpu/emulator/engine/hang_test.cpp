#include <doctest/doctest.h>

#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {

TEST_CASE("a hang is reported at once: who waits for what, with counts and the place")
{
  const EngineRig kernel =
      rig("mov.u32 %r2, 0; shr.u32 %r3, %r0, 5; setp.eq.u32 %p1, %r3, 2;\n@%p1 bra E;\nbar.sync 3, 128;\nE:", 128);
  const Outcome outcome = kernel.run();
  CHECK_FALSE(outcome.result.completed);
  CHECK(outcome.result.counters.total_instructions < 200);
  const Finding& finding = outcome.finding(Check::hang);
  CHECK(finding.detail == "warps 0, 1, 3 (96 threads) wait at barrier 3: 96 of 128 threads arrived, 32 exited");
  CHECK(outcome.program->sites[finding.instruction].ptx_line == kernel.body_line(3));
}

TEST_CASE("each group of waiters has its own line")
{
  const Outcome outcome =
      rig("mov.u32 %r2, 0; setp.lt.u32 %p1, %r0, 32; @%p1 bra A; bar.sync 2, 64; bra E; A: bar.sync 1, 64; E:", 64)
          .run();
  CHECK(outcome.result.findings.size() == 2);
  CHECK(outcome.result.findings[0].detail.find("warp 1 (32 threads) wait at barrier 2: 32 of 64") == 0);
  CHECK(outcome.result.findings[1].detail.find("warp 0 (32 threads) wait at barrier 1: 32 of 64") == 0);
}

TEST_CASE("a flag that nobody sets ends by the spin budget")
{
  EngineRig kernel = rig("L: ld.volatile.global.u32 %r2, [flag]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;", 64);
  kernel.declarations = ".global .align 4 .u32 flag;\n";
  kernel.options.spin_budget = 50'000;
  const Outcome outcome = kernel.run();
  CHECK_FALSE(outcome.result.completed);
  CHECK(outcome.checks() == "hang");
  CHECK(outcome.detail(Check::hang).find("spin: no store, barrier or exit in 50000 instructions") != std::string::npos);
}

TEST_CASE("locks taken in opposite orders end by the spin budget")
{
  EngineRig kernel =
      rig("mov.u32 %r2, 0; shr.u32 %r3, %r0, 5; and.b32 %r4, %r0, 31; setp.ne.u32 %p1, %r4, 0; @%p1 bra E;\n"
          "mov.u64 %rd2, locks; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd2, 4; sub.u64 "
          "%rd5, %rd5, %rd3;\n"
          "A: atom.global.cas.b32 %r5, [%rd4], 0, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra A;\n"
          "W: atom.global.add.u32 %r7, [locks+8], 0; add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 5000; @%p3 bra W;\n"
          "B: atom.global.cas.b32 %r5, [%rd5], 0, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra B; E:",
          64);
  kernel.body.insert(0, "mov.u32 %r6, 0; ");
  kernel.declarations = ".global .align 4 .u32 locks[3];\n";
  kernel.options.spin_budget = 100'000;
  const Outcome outcome = kernel.run();
  CHECK_FALSE(outcome.result.completed);
  CHECK(outcome.checks() == "hang");
}

TEST_CASE("an endless loop that stores ends by the instruction budget")
{
  EngineRig kernel = rig("L: st.global.u32 [%rd1], %r0; bra L;", 32);
  kernel.options.instruction_budget = 100'000;
  const Outcome outcome = kernel.run();
  CHECK_FALSE(outcome.result.completed);
  CHECK(outcome.detail(Check::hang).find("budget of 100000 instructions") != std::string::npos);
}

TEST_CASE("a long loop within the budgets is no hang")
{
  EngineRig kernel = rig("mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 20000; @%p1 bra L;", 32);
  kernel.options.spin_budget = 100'000;
  const Outcome outcome = kernel.run();
  CHECK(outcome.result.completed);
  CHECK(outcome.checks() == "");
}

TEST_CASE("an endless loop around a barrier ends by the instruction budget, whichever blocks are resident")
{
  for (const std::uint32_t resident_blocks : {1U, 2U}) {
    EngineRig kernel = rig("L: bar.sync 0; bra L;", 64);
    kernel.options.instruction_budget = 100'000;
    kernel.options.resident_blocks = resident_blocks;
    const Outcome outcome = kernel.run();
    CHECK_FALSE(outcome.result.completed);
    CHECK(outcome.checks() == "hang");
  }
}

}  // namespace flashgate::gpu
