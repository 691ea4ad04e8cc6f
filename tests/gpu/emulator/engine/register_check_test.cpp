#include <doctest/doctest.h>

#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {

TEST_CASE("a register that some lanes never wrote is reported where it is read, with its name and lanes")
{
  const EngineRig kernel = rig("setp.lt.u32 %p1, %r0, 10;\n@%p1 mov.u32 %r3, 1;\nadd.u32 %r2, %r3, 1;");
  const Outcome outcome = kernel.run();
  CHECK(outcome.checks() == "uninit-register");
  const Finding& finding = outcome.finding(Check::uninit_register);
  CHECK(finding.lanes == 0xFFFFFC00);
  CHECK(finding.detail == "read of register %r3, which was never written");
  CHECK(outcome.program->sites[finding.instruction].ptx_line == kernel.body_line(3));
}

TEST_CASE("complementary guards, branches and loops that write a register leave nothing to report")
{
  for (const char* body : {
           "setp.lt.u32 %p1, %r0, 10; @%p1 mov.u32 %r3, 1; @!%p1 mov.u32 %r3, 2; add.u32 %r2, %r3, 1;",
           "setp.lt.u32 %p1, %r0, 10; @%p1 bra A; mov.u32 %r3, 1; bra B; A: mov.u32 %r3, 2; B: add.u32 %r2, %r3, 1;",
           "setp.lt.u32 %p1, %r0, 10; @%p1 mov.u32 %r3, 1; @%p1 add.u32 %r3, %r3, 1; mov.u32 %r2, 0;",
           "mov.u32 %r4, 0; L: setp.eq.u32 %p1, %r4, 0; @%p1 mov.u32 %r3, 5; add.u32 %r2, %r3, %r4; add.u32 %r4, %r4, "
           "1;\n"
           "setp.lt.u32 %p2, %r4, 3; @%p2 bra L;",
       }) {
    CAPTURE(std::string(body));
    CHECK(rig(body).run().checks() == "");
  }
}

TEST_CASE("a guard or branch on a predicate never written is reported")
{
  CHECK(rig("mov.u32 %r2, 0; @%p5 mov.u32 %r2, 1;").run().checks() == "uninit-register");
  CHECK(rig("mov.u32 %r2, 0; @%p5 bra E; E:").run().checks() == "uninit-register");
}

TEST_CASE("the register check can be switched off")
{
  EngineRig kernel = rig("add.u32 %r2, %r3, 1;");
  kernel.options.checks.remove(Check::uninit_register);
  CHECK(kernel.run().checks() == "");
}

}  // namespace flashgate::gpu
