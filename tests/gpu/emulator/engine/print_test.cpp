#include <doctest/doctest.h>

#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

/// The bytes of a string with its zero, as PTX initialises them.
std::string string_variable(const std::string& name, const std::string& text)
{
  std::string bytes;
  for (const char character : text)
    bytes += std::to_string(static_cast<int>(character)) + ", ";
  return ".global .align 1 .b8 " + name + "[" + std::to_string(text.size() + 1) + "] = {" + bytes + "0};\n";
}

/// vprintf with `store` filling the arguments at [%rd3].
EngineRig printing(const std::string& format, const std::string& store, std::uint32_t threads = 1)
{
  EngineRig kernel = rig(
      ".local .align 8 .b8 depot[64]; mov.u64 %rd2, depot; cvta.local.u64 %rd3, %rd2; mov.u64 %rd4, format; " + store +
          "\n{ .param .b64 a; .param .b64 b; .param .b32 result; st.param.b64 [a], %rd4; st.param.b64 [b], %rd3;\n"
          "call (result), vprintf, (a, b); ld.param.b32 %r2, [result]; }",
      threads);
  kernel.declarations = ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n" +
                        string_variable("format", format) + string_variable("word", "word");
  return kernel;
}

struct PrintCase
{
  const char* format;
  const char* store;
  const char* printed;
  std::uint32_t conversions;
};

const PrintCase kCases[] = {
    {"plain text\n", "", "plain text\n", 0},
    {"%d %u %i", "st.u32 [%rd3], -5; st.u32 [%rd3+4], -1; st.u32 [%rd3+8], 7;", "-5 4294967295 7", 3},
    {"%5d|%-5d|%05d|%+d", "st.u32 [%rd3], 42; st.u32 [%rd3+4], 42; st.u32 [%rd3+8], 42; st.u32 [%rd3+12], 42;",
     "   42|42   |00042|+42", 4},
    {"%x %X %#o", "st.u32 [%rd3], 255; st.u32 [%rd3+4], 255; st.u32 [%rd3+8], 8;", "ff FF 010", 3},
    {"%lld %lu %zu", "st.u64 [%rd3], -5; st.u64 [%rd3+8], 5000000000; st.u64 [%rd3+16], 6;", "-5 5000000000 6", 3},
    {"%d %lld", "st.u32 [%rd3], 1; st.u64 [%rd3+8], 2;", "1 2", 2},
    {"%f %.2f %e %g",
     "st.f64 [%rd3], 0d3FF8000000000000; st.f64 [%rd3+8], 0d3FF8000000000000; st.f64 [%rd3+16], 0d3FF8000000000000; "
     "st.f64 [%rd3+24], 0d3FF8000000000000;",
     "1.500000 1.50 1.500000e+00 1.5", 4},
    {"%*d|%.*f", "st.u32 [%rd3], 4; st.u32 [%rd3+4], 9; st.u32 [%rd3+8], 1; st.f64 [%rd3+16], 0d3FF8000000000000;",
     "   9|1.5", 2},
    {"%c%c%%", "st.u32 [%rd3], 65; st.u32 [%rd3+4], 66;", "AB%", 2},
    {"[%s] [%6.2s]", "mov.u64 %rd5, word; st.u64 [%rd3], %rd5; st.u64 [%rd3+8], %rd5;", "[word] [    wo]", 2},
    {"%p", "st.u64 [%rd3], 0x1234;", "0x1234", 1},
    {"%hd %hhu", "st.u32 [%rd3], 3; st.u32 [%rd3+4], 4;", "3 4", 2},
    {"50% wrong %", "", "50% wrong %", 0},
};

}  // namespace

TEST_CASE("printf knows C's conversions")
{
  for (const PrintCase& test : kCases) {
    CAPTURE(std::string(test.format));
    const Outcome outcome = printing(test.format, test.store).run();
    CHECK(outcome.checks() == "");
    CHECK(outcome.printed == test.printed);
    if (std::string(test.format).find("wrong") == std::string::npos) CHECK(outcome.out[0] == test.conversions);
  }
}

TEST_CASE("lanes print in order, warp after warp")
{
  EngineRig kernel = printing("%d ", "st.u32 [%rd3], %r0;", 40);
  std::string expected;
  for (int thread = 0; thread < 40; ++thread)
    expected += std::to_string(thread) + " ";
  CHECK(kernel.run().printed == expected);
}

TEST_CASE("a failed assertion ends the launch and says what was asserted where")
{
  EngineRig kernel = rig(
      "setp.ne.u32 %p1, %r0, 5; @%p1 bra FINE;\nmov.u64 %rd2, message; mov.u64 %rd3, file; mov.u64 %rd4, function;\n"
      "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], %rd2; "
      "st.param.b64 [b], %rd3;\n"
      "st.param.b32 [c], 12; st.param.b64 [d], %rd4; st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e); }\nFINE: "
      "mov.u32 %r2, 1;");
  kernel.declarations =
      ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n" +
      string_variable("message", "n > 0") + string_variable("file", "kernel.cu") + string_variable("function", "k");
  const Outcome outcome = kernel.run();
  CHECK_FALSE(outcome.result.completed);
  CHECK(outcome.checks() == "assert");
  CHECK(outcome.detail(Check::assertion) == "assertion `n > 0` failed: kernel.cu:12, in k");
  CHECK(outcome.finding(Check::assertion).lanes == 1U << 5);
}

TEST_CASE("trap ends the launch, brkpt does not")
{
  const Outcome trapped = rig("mov.u32 %r2, 0; setp.eq.u32 %p1, %r0, 3; @%p1 trap;").run();
  CHECK_FALSE(trapped.result.completed);
  CHECK(trapped.checks() == "trap");
  CHECK(trapped.finding(Check::trap).lanes == 8);
  CHECK(rig("mov.u32 %r2, 0; brkpt;").run().result.completed);
}

}  // namespace flashgate::gpu
