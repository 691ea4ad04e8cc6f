#include <random>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/gpu/emulator/decode/sm80_instructions.h"
#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

/// The opcode of one instruction with the operands of another; now and then one operand less.
std::string mixture(std::mt19937& random)
{
  const auto draw = [&] { return std::string(kSm80Instructions[random() % std::size(kSm80Instructions)]); };
  const std::string first = draw();
  const std::string second = draw();
  std::string operands = second.substr(std::min(second.find(' '), second.size() - 1));
  if (random() % 4 == 0) operands = operands.substr(0, operands.rfind(',')) + ";";
  return (random() % 3 == 0 ? "@%p1 " : "") + first.substr(0, first.find_first_of(" ;")) + operands + "\n";
}

/// "ran", "refused" or "ended".
std::string fate_of(EngineRig kernel, bool checked)
{
  kernel.checked = checked;
  if (!checked) kernel.options.checks = CheckSet::always();
  kernel.options.instruction_budget = 2000;
  try {
    return kernel.run().result.completed ? "ran" : "ended";
  } catch (const Error&) {
    return "refused";
  }
}

}  // namespace

TEST_CASE("opcodes with the operands of others are refused or executed, and nothing worse")
{
  std::mt19937 random(7);
  int ran = 0;
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string body = "mov.u32 %r2, 0; mov.u64 %rd2, %rd1; setp.lt.u32 %p1, %r0, 9;\n" + mixture(random) +
                             (random() % 2 == 0 ? mixture(random) : "");
    CAPTURE(body);
    EngineRig kernel = rig(in_scope(body), 40);
    kernel.dynamic_shared_bytes = 64;
    const std::string fate = fate_of(kernel, true);
    // Which handlers there are does not depend on the checks.
    CHECK((fate == "refused") == (fate_of(kernel, false) == "refused"));
    ran += fate == "ran" ? 1 : 0;
    refused += fate == "refused" ? 1 : 0;
  }
  CHECK(ran > 50);
  CHECK(refused > 200);
}

}  // namespace flashgate::gpu
