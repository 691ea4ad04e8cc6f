#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

std::string decode_error(const std::string& body, const std::string& declarations = "")
{
  EngineRig kernel = rig(body);
  kernel.declarations = declarations;
  const auto module = std::make_shared<const ptx::Module>(ptx::parse_module(kernel.text(), "test.ptx"));
  GlobalMemory memory;
  const LoadedModule loaded(module, memory);
  try {
    loaded.program("k", {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an instruction that is not supported is one line with its place, before anything runs")
{
  const int line = rig("").body_line(2);
  CHECK(decode_error("mov.u32 %r2, 0;\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1}];\n") ==
        "test.ptx:" + std::to_string(line) + ": unsupported instruction `tex.1d.v4.f32.s32`");
}

TEST_CASE("all kinds of a kernel are named in one line, each once, with the source line where there is one")
{
  const std::string error = decode_error(
      ".loc 1 12 3\nfrobnicate.b32 %r2, %r1; frobnicate.b32 %r3, %r1;\n.loc 1 13 3\nadd.sideways.u32 %r2, %r1, 1; "
      "nothing;\n",
      ".file 1 \"/folder/kernel.cu\"\n");
  CHECK(error.find("kernel.cu:12 (ptx line ") == 0);
  CHECK(error.find("unsupported instruction `frobnicate.b32`; and 2 more kinds: `add.sideways.u32`, `nothing`") !=
        std::string::npos);
}

TEST_CASE("modifiers, types and operands that do not belong to an instruction make it unsupported")
{
  for (const char* body : {
           "add.rn.u32 %r2, %r1, 1;",
           "add.u32 %r2, %rd1, 1;",
           "add.u32 %r2, %r1;",
           "add.u32 %r2, %r1, 1, 2;",
           "mov.u32 %r2, %rd1;",
           "setp.eq.u32 %r2, %r1, 1;",
           "selp.u32 %r2, 1, 2, %r1;",
           "ld.global.u32 %p1, [%rd1];",
           "ld.global.v4.u32 {%r1, %r2}, [%rd1];",
           "ld.global.b128 %rd2, [%rd1];",
           "st.global.u64 [%rd1], %r2;",
           "shfl.bfly.b32 %r2, %r1, 1, 31;",
           "cp.async.cg.shared.global [%r1], [%rd1], 12;",
           "mov.u32 %r2, %envreg7;",
           "wgmma.fence.sync.aligned;",
           "mma.sync.aligned.m16n8k16.row.row.f32.bf16.bf16.f32 {%f1,%f1,%f1,%f1}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, "
           "{%f1,%f1,%f1,%f1};",
           "bar.red.min.u32 %r2, 0, %p1;",
       }) {
    CAPTURE(std::string(body));
    CHECK(decode_error(body).find("unsupported instruction `") != std::string::npos);
  }
}

}  // namespace flashgate::gpu
