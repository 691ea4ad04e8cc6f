#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

std::string refusal(const EngineRig& kernel)
{
  try {
    kernel.run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("launches that a device refuses are errors that say why")
{
  struct Case
  {
    const char* name;
    void (*change)(EngineRig& kernel);
    const char* message;
  };
  const Case cases[] = {
      {"too many threads",
       [](EngineRig& kernel) {
         kernel.block = {1025, 1, 1};
       },
       "a block of 1025x1x1 threads"},
      {"no threads",
       [](EngineRig& kernel) {
         kernel.block = {32, 0, 1};
       },
       "a block of 32x0x1 threads"},
      {"too deep",
       [](EngineRig& kernel) {
         kernel.block = {1, 1, 65};
       },
       "a block of 1x1x65 threads"},
      {"more than .maxntid",
       [](EngineRig& kernel) {
         kernel.directives = " .maxntid 32, 2, 1";
         kernel.block = {65, 1, 1};
       },
       "compiled for at most 64"},
      {"not .reqntid",
       [](EngineRig& kernel) {
         kernel.directives = " .reqntid 64, 1, 1";
         kernel.block = {32, 1, 1};
       },
       "the kernel requires 64x1x1"},
      {"no blocks",
       [](EngineRig& kernel) {
         kernel.grid = {0, 1, 1};
       },
       "a grid of 0x1x1 blocks"},
      {"too many blocks in y",
       [](EngineRig& kernel) {
         kernel.grid = {1, 65536, 1};
       },
       "a grid of 1x65536x1 blocks"},
      {"too much shared memory", [](EngineRig& kernel) { kernel.dynamic_shared_bytes = 240'000; },
       "bytes of shared memory per block; the device has 232448"},
  };
  for (const Case& test : cases) {
    CAPTURE(std::string(test.name));
    EngineRig kernel = rig("mov.u32 %r2, 0;");
    test.change(kernel);
    const std::string message = refusal(kernel);
    CHECK(message.find("launch of k: ") == 0);
    CHECK(message.find(test.message) != std::string::npos);
  }
}

TEST_CASE("checks are refused for a kernel that was decoded without them")
{
  EngineRig kernel = rig("mov.u32 %r2, 0;");
  kernel.checked = false;
  CHECK(refusal(kernel) == "launch of k: the kernel was decoded without checks, and some are asked for");
  kernel.options.checks = CheckSet::always();
  CHECK(refusal(kernel) == "");
}

TEST_CASE("parameters of another size are refused")
{
  const auto module = std::make_shared<const ptx::Module>(ptx::parse_module(rig("mov.u32 %r2, 0;").text(), "test.ptx"));
  GlobalMemory memory;
  const LoadedModule loaded(module, memory);
  const auto program = loaded.program("k", {});
  LaunchConfig config;
  config.parameters.resize(12);
  CHECK_THROWS_WITH_AS(launch(*program, memory, config, {}), "launch of k: 12 bytes of parameters; the kernel takes 8",
                       Error);
}

TEST_CASE("an entry or variable that does not exist is refused by name")
{
  const auto module = std::make_shared<const ptx::Module>(ptx::parse_module(rig("mov.u32 %r2, 0;").text(), "test.ptx"));
  GlobalMemory memory;
  const LoadedModule loaded(module, memory);
  CHECK_THROWS_WITH_AS(loaded.program("other", {}), "test.ptx: no entry other", Error);
  CHECK_THROWS_WITH_AS(loaded.variable("table"), "test.ptx: no variable table in global or constant memory", Error);
}

}  // namespace flashgate::gpu
