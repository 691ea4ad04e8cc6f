#include <functional>

#include <doctest/doctest.h>

#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

struct KernelCase
{
  const char* name;
  const char* body;
  std::function<std::uint32_t(std::uint32_t thread)> expected;
};

}  // namespace

TEST_CASE("straight kernels give every thread its own result")
{
  const KernelCase cases[] = {
      {"arithmetic", "mad.lo.u32 %r2, %r0, 3, 7; shl.b32 %r3, %r0, 4; xor.b32 %r2, %r2, %r3;",
       [](std::uint32_t t) { return (3 * t + 7) ^ (t << 4); }},
      {"floating point",
       "cvt.rn.f32.u32 %f1, %r0; fma.rn.f32 %f1, %f1, 0f40000000, 0f3F800000; mul.f32 %f1, %f1, 0.5;\n"
       "cvt.rzi.u32.f32 %r2, %f1;",
       [](std::uint32_t t) { return t; }},
      {"decimal constants are converted to the width at hand", "mov.f32 %f1, 1.5; mov.b32 %r2, %f1;",
       [](std::uint32_t) { return 0x3FC00000U; }},
      {"guards", "mov.u32 %r2, 1; setp.lt.u32 %p1, %r0, 40; @%p1 mov.u32 %r2, 2; @!%p1 add.u32 %r2, %r2, 4;",
       [](std::uint32_t t) { return t < 40 ? 2U : 5U; }},
      {"packing and unpacking", "{ .reg .b16 %h<2>; mov.b32 {%h0, %h1}, %r0; mov.b32 %r2, {%h1, %h0}; }",
       [](std::uint32_t t) { return t << 16; }},
      {"lanes and warps", "mov.u32 %r3, %laneid; mov.u32 %r4, %warpid; mad.lo.u32 %r2, %r4, 100, %r3;",
       [](std::uint32_t t) { return t / 32 * 100 + t % 32; }},
      {"lane masks",
       "mov.u32 %r3, %lanemask_lt; mov.u32 %r4, %lanemask_ge; popc.b32 %r3, %r3; popc.b32 %r4, %r4;\n"
       "mad.lo.u32 %r2, %r4, 100, %r3;",
       [](std::uint32_t t) { return (32 - t % 32) * 100 + t % 32; }},
      {"carry", "add.cc.u32 %r3, %r0, 0xFFFFFFFF; addc.u32 %r2, 0, 0;",
       [](std::uint32_t t) { return t > 0 ? 1U : 0U; }},
      {"static shared memory",
       ".shared .align 4 .b8 s[256]; mov.u32 %r3, s; mad.lo.u32 %r4, %r0, 4, %r3; st.shared.u32 [%r4], %r0;\n"
       "bar.sync 0; sub.u32 %r5, 63, %r0; mad.lo.u32 %r4, %r5, 4, %r3; ld.shared.u32 %r2, [%r4];",
       [](std::uint32_t t) { return 63 - t; }},
      {"local memory by its generic address",
       ".local .align 8 .b8 depot[16]; mov.u64 %rd2, depot; cvta.local.u64 %rd3, %rd2; st.u32 [%rd3+8], %r0;\n"
       "ld.local.u32 %r2, [%rd2+8];",
       [](std::uint32_t t) { return t; }},
      {"a uniform loop",
       "mov.u32 %r2, 0; mov.u32 %r3, 0; L: add.u32 %r2, %r2, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 10;\n"
       "@%p1 bra L;",
       [](std::uint32_t) { return 45U; }},
  };
  for (const KernelCase& test : cases) {
    CAPTURE(std::string(test.name));
    for (const bool checked : {true, false}) {
      EngineRig kernel = rig(test.body, 64);
      kernel.checked = checked;
      if (!checked) kernel.options.checks = CheckSet::always();
      const Outcome outcome = kernel.run();
      CHECK(outcome.result.completed);
      CHECK(outcome.checks() == "");
      for (std::uint32_t thread = 0; thread < 64; ++thread)
        CHECK(outcome.out[thread] == test.expected(thread));
    }
  }
}

TEST_CASE("special registers tell a thread its place in three dimensions")
{
  EngineRig kernel;
  kernel.block = {4, 2, 3};
  kernel.grid = {2, 3, 2};
  kernel.body =
      // The thread's and the block's number, and the sizes, from all components.
      "mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.y; mov.u32 %r5, %tid.y; mad.lo.u32 %r3, %r3, %r4, %r5;\n"
      "mov.u32 %r4, %ntid.x; mad.lo.u32 %r3, %r3, %r4, %r0;\n"
      "mov.u32 %r5, %ctaid.z; mov.u32 %r6, %nctaid.y; mov.u32 %r7, %ctaid.y; mad.lo.u32 %r5, %r5, %r6, %r7;\n"
      "mov.u32 %r6, %nctaid.x; mov.u32 %r7, %ctaid.x; mad.lo.u32 %r5, %r5, %r6, %r7;\n"
      "mov.u32 %r8, %ntid.z; mov.u32 %r9, %nctaid.z; mad.lo.u32 %r2, %r5, 24, %r3;\n"
      "mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd0, %rd1; mad.lo.u32 %r2, %r8, 1000, %r2; mad.lo.u32 %r2, %r9, "
      "10000, %r2;\n";
  const Outcome outcome = kernel.run();
  CHECK(outcome.checks() == "");
  for (std::uint32_t thread = 0; thread < outcome.out.size(); ++thread)
    CHECK(outcome.out[thread] == 23000 + thread);
}

TEST_CASE("clocks advance from one read to the next")
{
  const Outcome outcome =
      rig("mov.u64 %rd2, %clock64; mov.u64 %rd3, %clock64; setp.gt.u64 %p1, %rd3, %rd2; selp.u32 %r2, 1, 0, %p1;")
          .run();
  CHECK(outcome.out[7] == 1);
}

TEST_CASE("module variables have their initial values, addresses among them, and keep what is written")
{
  EngineRig kernel = rig(
      "mul.wide.u32 %rd2, %r0, 4; mov.u64 %rd3, table; add.u64 %rd3, %rd3, %rd2; ld.const.u32 %r2, [%rd3];\n"
      "ld.global.u64 %rd4, [pointer]; ld.global.u32 %r3, [%rd4]; add.u32 %r2, %r2, %r3; ld.global.u32 %r4, [counter];\n"
      "add.u32 %r2, %r2, %r4;",
      4);
  kernel.declarations =
      ".const .align 4 .u32 table[4] = {10, 20, 30};\n.global .align 4 .u32 value[2] = {5, 700};\n"
      ".global .align 8 .u64 pointer = value+4;\n.global .align 4 .u32 counter;\n";
  const Outcome outcome = kernel.run();
  CHECK(outcome.checks() == "");
  CHECK(outcome.out == std::vector<std::uint32_t>{710, 720, 730, 700});
}

TEST_CASE("dynamic shared memory begins behind the static one, aligned as declared")
{
  EngineRig kernel =
      rig(".shared .align 4 .b8 s[20]; mov.u32 %r3, s; mov.u32 %r4, big; st.shared.u32 [%r4+60], %r0;\n"
          "mov.u32 %r5, %dynamic_smem_size; sub.u32 %r2, %r4, %r3; mad.lo.u32 %r2, %r5, 1000, %r2;",
          1);
  kernel.declarations = ".extern .shared .align 64 .b8 big[];\n";
  kernel.dynamic_shared_bytes = 64;
  const Outcome outcome = kernel.run();
  CHECK(outcome.checks() == "");
  CHECK(outcome.out[0] == 64064);
}

TEST_CASE("instructions are counted by class, once per warp")
{
  const Outcome outcome = rig("mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;\n"
                              "mov.u32 %r2, 0;",
                              96)
                              .run();
  const auto& counters = outcome.result.counters;
  const auto count = [&](InstructionClass kind) { return counters.instructions[static_cast<int>(kind)]; };
  // Three warps; the prologue has two integer instructions and an addition of addresses, the loop five rounds.
  CHECK(count(InstructionClass::predicate) == 3 * 5);
  CHECK(count(InstructionClass::integer) == 3 * (3 + 5));
  CHECK(count(InstructionClass::branch) == 3 * (5 + 1));
  CHECK(count(InstructionClass::load_store_global) == 3);
  std::uint64_t sum = 0;
  for (const std::uint64_t each : counters.instructions)
    sum += each;
  CHECK(sum == counters.total_instructions);
}

}  // namespace flashgate::gpu
