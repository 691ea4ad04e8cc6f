#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/gpu/emulator/decode/sm80_instructions.h"
#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {

TEST_CASE("every instruction of the sm_80 kernels in the census is decoded, for launches with and without checks")
{
  for (const char* instruction : kSm80Instructions) {
    CAPTURE(std::string(instruction));
    const EngineRig kernel = rig("ret; " + in_scope(instruction));
    const auto module = std::make_shared<const ptx::Module>(ptx::parse_module(kernel.text(), "test.ptx"));
    GlobalMemory memory;
    const LoadedModule loaded(module, memory);
    for (const bool checked : {true, false}) {
      for (const isa::Core core : {isa::Core::generic, isa::best_core()}) {
        CHECK_NOTHROW(loaded.program("k", {.core = core, .checked = checked, .variable_addresses = {}}));
      }
    }
  }
}

}  // namespace flashgate::gpu
