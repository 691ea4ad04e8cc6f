#include <doctest/doctest.h>

#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

struct SyncCase
{
  const char* name;
  const char* body;
  const char* checks;  ///< found
};

const SyncCase kCases[] = {
    {"all lanes shuffle", "shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1;", ""},
    {"half a warp shuffles with a mask of its own",
     "setp.lt.u32 %p1, %r0, 16; @!%p1 bra E; shfl.sync.bfly.b32 %r2, %r0, 1, 31, 0xFFFF; E:", ""},
    {"the last lane of half a warp reads from the other half",
     "setp.lt.u32 %p1, %r0, 16; @!%p1 bra E; shfl.sync.down.b32 %r2, %r0, 1, 31, 0xFFFF; E:", "warp-divergence"},
    {"half a warp shuffles down within segments of sixteen",
     "setp.lt.u32 %p1, %r0, 16; @!%p1 bra E; shfl.sync.down.b32 %r2, %r0, 1, 0x100F, 0xFFFF; E:", ""},
    {"half a warp shuffles up from its first lane on",
     "setp.lt.u32 %p1, %r0, 16; @!%p1 bra E; shfl.sync.up.b32 %r2, %r0, 1, 0, 0xFFFF; E:", ""},
    {"half a warp reads one lane of the other half",
     "setp.lt.u32 %p1, %r0, 16; @!%p1 bra E; shfl.sync.idx.b32 %r2, %r0, 20, 31, 0xFFFF; E:", "warp-divergence"},
    {"half a warp shuffles with a mask of all",
     "setp.lt.u32 %p1, %r0, 16; @!%p1 bra E; shfl.sync.down.b32 %r2, %r0, 1, 31, -1; E:", "warp-divergence"},
    {"each half with the mask of the other",
     "setp.lt.u32 %p1, %r0, 16; selp.b32 %r3, 0xFFFF0000, 0xFFFF, %p1; shfl.sync.down.b32 %r2, %r0, 1, 31, %r3;",
     "warp-divergence"},
    {"each half with its own mask in a register",
     "setp.lt.u32 %p1, %r0, 16; selp.b32 %r3, 0xFFFF, 0xFFFF0000, %p1; shfl.sync.bfly.b32 %r2, %r0, 1, 31, %r3;", ""},
    {"lanes that exited before need not come",
     "setp.ge.u32 %p1, %r0, 20; @%p1 exit; vote.sync.ballot.b32 %r2, %p7, -1;", ""},
    {"lanes come one after the other to the same place",
     "setp.lt.u32 %p1, %r0, 5; @%p1 bra A; mov.u32 %r3, 1; bra B; A: mov.u32 %r3, 2; B: shfl.sync.idx.b32 %r2, %r3, 0, "
     "31, -1;",
     ""},
    {"lanes wait for each other at different bar.warp.sync",
     "setp.eq.u32 %p1, %r0, 0; @%p1 bra A; bar.warp.sync -1; bra B; A: bar.warp.sync -1; B: mov.u32 %r2, 1;", ""},
    {"a lane leaves without the bar.warp.sync of the others",
     "setp.eq.u32 %p1, %r0, 0; @%p1 bra E; bar.warp.sync -1; E: mov.u32 %r2, 1;", "warp-divergence"},
    {"a vote under a guard that some lanes fail", "setp.lt.u32 %p1, %r0, 8; @%p1 vote.sync.ballot.b32 %r2, %p7, -1;",
     "warp-divergence"},
};

}  // namespace

TEST_CASE("warp-wide operations wait for the lanes they name and report those who never come")
{
  for (const SyncCase& test : kCases) {
    CAPTURE(std::string(test.name));
    for (const std::uint64_t seed : {0, 1, 2}) {
      EngineRig kernel = rig(std::string("mov.u32 %r2, 0; setp.eq.u32 %p7, %r0, %r0;\n") + test.body);
      kernel.options.seed = seed;
      const Outcome outcome = kernel.run();
      CHECK(outcome.result.completed);
      CHECK(outcome.checks() == test.checks);
    }
  }
}

TEST_CASE("a report of missing lanes says who was there, who not, and where")
{
  const EngineRig kernel =
      rig("mov.u32 %r2, 0; setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra E;\nshfl.sync.down.b32 %r2, %r0, 1, 31, -1;\nE:");
  const Outcome outcome = kernel.run();
  const Finding& finding = outcome.finding(Check::warp_divergence);
  CHECK(finding.lanes == 0xFFFF);
  CHECK(finding.detail.find("lanes 0-15 without lanes 16-31") != std::string::npos);
  CHECK(outcome.program->sites[finding.instruction].ptx_line == kernel.body_line(3));
}

TEST_CASE("a matrix instruction needs the whole warp")
{
  const Outcome outcome = rig("mov.u32 %r2, 0; setp.lt.u32 %p1, %r0, 16; @!%p1 bra E;\n"
                              "mov.f32 %f1, 0f00000000; mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f2, %f3, "
                              "%f4, %f5}, {%r2, %r2}, {%r2},\n"
                              "{%f1, %f1, %f1, %f1}; E:")
                              .run();
  CHECK(outcome.result.completed);
  CHECK(outcome.checks() == "warp-divergence");
}

TEST_CASE("values cross the lanes of a tile only")
{
  const Outcome outcome = rig("and.b32 %r4, %r0, 16; mov.u32 %r3, 0xFFFF; shl.b32 %r3, %r3, %r4; setp.eq.u32 %p7, %r0, "
                              "%r0; vote.sync.ballot.b32 %r2, %p7, %r3;")
                              .run();
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    CHECK(outcome.out[lane] == (lane < 16 ? 0xFFFFU : 0xFFFF0000U));
}

}  // namespace flashgate::gpu
