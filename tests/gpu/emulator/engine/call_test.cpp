#include <doctest/doctest.h>

#include "gpu/emulator/decode/decoder.h"
#include "reference/error.h"
#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

const char* const kTriple =
    ".func (.param .b32 f_out) triple(.param .b32 f_in)\n"
    "{ .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.b32 %r1, [f_in]; setp.gt.u32 %p1, %r1, 20; @%p1 bra BIG;\n"
    "mul.lo.u32 %r2, %r1, 3; st.param.b32 [f_out], %r2; ret; BIG: st.param.b32 [f_out], %r1; ret; }\n";

const char* const kCallTriple =
    "{ .param .b32 in; .param .b32 result; st.param.b32 [in], %r0; call (result), triple, (in); ld.param.b32 %r2, "
    "[result]; }\n";

std::string error_of(const EngineRig& kernel)
{
  try {
    kernel.run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("device functions are called, from several places, by lanes that return in different ways")
{
  EngineRig kernel = rig(std::string(kCallTriple) + "mov.u32 %r0, %r2; " + kCallTriple);
  kernel.declarations = kTriple;
  const Outcome outcome = kernel.run();
  CHECK(outcome.checks() == "");
  const auto triple = [](std::uint32_t value) { return value > 20 ? value : 3 * value; };
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    CHECK(outcome.out[lane] == triple(triple(lane)));
}

TEST_CASE("functions call functions, and take parameters in registers")
{
  EngineRig kernel = rig("call (%r2), twice, (%r0, 100);");
  kernel.declarations =
      ".func (.reg .b32 out) add(.reg .b32 a, .reg .b32 b) { add.u32 out, a, b; ret; }\n"
      ".func (.reg .b32 out) twice(.reg .b32 a, .reg .b32 b) { .reg .b32 t; call (t), add, (a, b); call (out), add, "
      "(t, t); ret; }\n";
  const Outcome outcome = kernel.run();
  CHECK(outcome.checks() == "");
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    CHECK(outcome.out[lane] == 2 * (lane + 100));
}

TEST_CASE("a guarded call is made by the lanes whose guard holds")
{
  EngineRig kernel = rig("mov.u32 %r2, 1; setp.lt.u32 %p1, %r0, 9; @%p1 call (%r2), seven, ();");
  kernel.declarations = ".func (.reg .b32 out) seven() { mov.u32 out, 7; ret; }\n";
  const Outcome outcome = kernel.run();
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    CHECK(outcome.out[lane] == (lane < 9 ? 7U : 1U));
}

TEST_CASE("indirect calls reach the function whose address each lane holds")
{
  EngineRig kernel =
      rig("mov.u64 %rd2, table; and.b32 %r3, %r0, 1; mul.wide.u32 %rd3, %r3, 8; add.u64 %rd2, %rd2, %rd3; "
          "ld.global.u64 %rd4, [%rd2];\n"
          "{ .param .b32 in; .param .b32 result; st.param.b32 [in], %r0; P: .callprototype (.param .b32 _) _ (.param "
          ".b32 _);\n"
          "call (result), %rd4, (in), P; ld.param.b32 %r2, [result]; }");
  kernel.declarations =
      std::string(kTriple) +
      ".func (.param .b32 g_out) plus(.param .b32 g_in)\n"
      "{ .reg .b32 %r<3>; ld.param.b32 %r1, [g_in]; add.u32 %r2, %r1, 1000; st.param.b32 [g_out], %r2; ret; }\n"
      ".global .align 8 .u64 table[2] = {triple, plus};\n";
  const Outcome outcome = kernel.run();
  CHECK(outcome.checks() == "");
  for (std::uint32_t lane = 0; lane < 20; ++lane)
    CHECK(outcome.out[lane] == ((lane & 1) != 0 ? lane + 1000 : 3 * lane));
}

TEST_CASE("an indirect call of something else ends the launch with a trap")
{
  EngineRig kernel =
      rig("mov.u64 %rd4, 16; { .param .b32 in; .param .b32 result; st.param.b32 [in], %r0; P: .callprototype (.param "
          ".b32 _) _ (.param .b32 _);\n"
          "call (result), %rd4, (in), P; ld.param.b32 %r2, [result]; }");
  kernel.declarations = std::string(kTriple) + ".global .align 8 .u64 table[1] = {triple};\n";
  const Outcome outcome = kernel.run();
  CHECK_FALSE(outcome.result.completed);
  CHECK(outcome.checks() == "trap");
}

TEST_CASE("recursion is refused by name, directly and round about")
{
  EngineRig kernel = rig("call again;");
  kernel.declarations = ".func again { call again; ret; }\n";
  CHECK(error_of(kernel) == "test.ptx:4: recursive call of again: recursion is not supported");
  kernel.declarations = ".func other;\n.func again { call other; ret; }\n.func other { call again; ret; }\n";
  CHECK(error_of(kernel) == "test.ptx:6: recursive call of again: recursion is not supported");
}

TEST_CASE("a function without a body is refused by name")
{
  EngineRig kernel =
      rig("{ .param .b64 size; .param .b64 result; st.param.b64 [size], 16; call (result), malloc, (size); }");
  kernel.declarations = ".extern .func (.param .b64 result) malloc(.param .b64 size);\n";
  CHECK(error_of(kernel).find("call of malloc, which the device does not have") != std::string::npos);
}

}  // namespace flashgate::gpu
