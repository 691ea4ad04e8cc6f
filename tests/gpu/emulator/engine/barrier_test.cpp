#include <doctest/doctest.h>

#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

struct BarrierCase
{
  const char* name;
  const char* body;
  std::uint32_t threads;
  const char* checks;  ///< found
  bool completed;
};

// %r3 is the thread's warp.
const BarrierCase kCases[] = {
    {"all threads at one barrier", "bar.sync 0;", 128, "", true},
    {"a barrier in a loop", "mov.u32 %r4, 0; L: bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra L;",
     96, "", true},
    {"half of each warp at the barrier", "setp.lt.u32 %p1, %r0, 16; @%p1 bar.sync 0;", 32,
     "barrier-divergence barrier-exit", true},
    {"warps at barriers of different places",
     "setp.eq.u32 %p1, %r3, 0; @%p1 bra A; bar.sync 0; bra E; A: bar.sync 0; E:", 64, "barrier-divergence", true},
    {"a warp leaves before the barrier", "setp.eq.u32 %p1, %r3, 1; @%p1 exit; bar.sync 0;", 64, "early-exit", true},
    {"half a warp leaves before the barrier", "setp.lt.u32 %p1, %r0, 16; @%p1 exit; bar.sync 0;", 64, "barrier-exit",
     true},
    {"a warp leaves between two barriers", "bar.sync 0; setp.eq.u32 %p1, %r3, 1; @%p1 exit; bar.sync 0;", 64,
     "barrier-exit", true},
    {"a named barrier of two warps of three", "setp.eq.u32 %p1, %r3, 2; @%p1 bra E; bar.sync 5, 64; E:", 96, "", true},
    {"producer and consumer", "setp.eq.u32 %p1, %r3, 0; @%p1 bra P; bar.sync 1, 64; bra E; P: bar.arrive 1, 64; E:", 64,
     "", true},
    {"a count that is no multiple of the warp size", "bar.sync 3, 33;", 64, "barrier-divergence", true},
    {"a barrier that does not exist", "bar.sync 16;", 32, "barrier-divergence", true},
    {"a partial warp counts as a warp", "bar.sync 2, 64;", 48, "", true},
    {"lanes that part and meet before the barrier",
     "setp.lt.u32 %p1, %r0, 7; @%p1 bra A; add.u32 %r4, %r0, 1; bra B; A: add.u32 %r4, %r0, 2; B: bar.sync 0;", 32, "",
     true},
    {"half of each warp by barrier.sync of its own", "setp.lt.u32 %p1, %r0, 32; @%p1 barrier.sync 1, 32;", 64, "",
     true},
    {"a skipped named barrier", "setp.eq.u32 %p1, %r3, 2; @%p1 bra E; bar.sync 3, 128; E:", 128, "hang", false},
    {"crossed named barriers",
     "setp.eq.u32 %p1, %r3, 0; @%p1 bra A; bar.sync 2, 64; bar.sync 1, 64; bra E; A: bar.sync 1, 64; bar.sync 2, 64; "
     "E:",
     64, "hang", false},
};

}  // namespace

TEST_CASE("barriers wait for whom they should, and what is wrong with them is found, in every order")
{
  for (const BarrierCase& test : kCases) {
    CAPTURE(std::string(test.name));
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      EngineRig kernel = rig(std::string("mov.u32 %r2, 0; shr.u32 %r3, %r0, 5;\n") + test.body, test.threads);
      kernel.options.seed = seed;
      const Outcome outcome = kernel.run();
      CHECK(outcome.result.completed == test.completed);
      CHECK(outcome.checks() == test.checks);
    }
  }
}

TEST_CASE("threads that give a barrier different counts are reported, whoever comes first")
{
  EngineRig kernel = rig(
      "mov.u32 %r2, 0; shr.u32 %r3, %r0, 5; setp.eq.u32 %p1, %r3, 0; selp.u32 %r4, 64, 96, %p1; bar.sync 3, %r4;", 64);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    kernel.options.seed = seed;
    const std::string detail = kernel.run().detail(Check::barrier_divergence);
    CHECK((detail == "barrier 3 waits for 64 threads here and for 96 there" ||
           detail == "barrier 3 waits for 96 threads here and for 64 there"));
  }
}

TEST_CASE("two places of one barrier are a finding if they are different lines of the source")
{
  const std::string body =
      "mov.u32 %r2, 0; setp.lt.u32 %p1, %r0, 32; @%p1 bra A;\n.loc 1 LINE 3\nbar.sync 0; bra E;\n.loc 1 20 3\nA: "
      "bar.sync 0; E:";
  for (const bool same : {true, false}) {
    EngineRig kernel = rig(body, 64);
    kernel.body.replace(kernel.body.find("LINE"), 4, same ? "20" : "10");
    kernel.declarations = ".file 1 \"/somewhere/kernel.cu\"\n";
    const Outcome outcome = kernel.run();
    CHECK(outcome.checks() == (same ? "" : "barrier-divergence"));
    if (same) continue;
    const Finding& finding = outcome.finding(Check::barrier_divergence);
    const std::string places =
        describe_site(*outcome.program, finding.instruction) + describe_site(*outcome.program, finding.other);
    CHECK(places.find("kernel.cu:10 (ptx line ") != std::string::npos);
    CHECK(places.find("kernel.cu:20 (ptx line ") != std::string::npos);
  }
}

TEST_CASE("a reduction over a barrier gives every thread the block's result")
{
  const Outcome outcome =
      rig("setp.lt.u32 %p1, %r0, 40; bar.red.popc.u32 %r3, 0, %p1; bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, "
          "0, !%p1;\n"
          "selp.u32 %r4, 1000, 0, %p2; selp.u32 %r5, 2000, 0, %p3; add.u32 %r2, %r3, %r4; add.u32 %r2, %r2, %r5;",
          64)
          .run();
  CHECK(outcome.checks() == "");
  CHECK(outcome.out == std::vector<std::uint32_t>(64, 2040));
  CHECK(outcome.result.counters.barriers == 3);
}

}  // namespace flashgate::gpu
