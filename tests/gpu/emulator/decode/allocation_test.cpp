#include <doctest/doctest.h>

#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

/// A program of `steps` random instructions on 20 registers, with branches of some lanes and a loop.
std::string random_body(std::uint32_t seed, int steps)
{
  std::uint32_t state = seed;
  const auto draw = [&](std::uint32_t bound) {
    state = state * 1664525 + 1013904223;
    return (state >> 10) % bound;
  };
  const auto reg = [&] { return "%r" + std::to_string(3 + draw(20)); };
  std::string body;
  for (int r = 3; r < 23; ++r)
    body += "add.u32 %r" + std::to_string(r) + ", %r0, " + std::to_string(r) + ";\n";
  body += "mov.u32 %r30, 0;\nLOOP:\n";
  for (int step = 0; step < steps; ++step) {
    const std::string label = "L" + std::to_string(step);
    switch (draw(5)) {
      case 0:
        body += "mad.lo.u32 " + reg() + ", " + reg() + ", 5, " + reg() + ";\n";
        break;
      case 1:
        body += "xor.b32 " + reg() + ", " + reg() + ", " + reg() + ";\n";
        break;
      case 2:
        body +=
            "and.b32 %r31, " + reg() + ", 3; setp.eq.u32 %p1, %r31, 1; @%p1 mov.u32 " + reg() + ", " + reg() + ";\n";
        break;
      case 3:
        body += "mul.wide.u32 %rd3, " + reg() + ", 77; cvt.u32.u64 " + reg() + ", %rd3;\n";
        break;
      default:
        body += "and.b32 %r31, " + reg() + ", 1; setp.eq.u32 %p1, %r31, 1; @%p1 bra " + label + "; add.u32 " + reg() +
                ", " + reg() + ", 9; sub.u32 " + reg() + ", " + reg() + ", " + reg() + ";\n" + label + ":\n";
    }
  }
  body += "add.u32 %r30, %r30, 1; setp.lt.u32 %p2, %r30, 4; @%p2 bra LOOP;\nmov.u32 %r2, 0;\n";
  for (int r = 3; r < 23; ++r)
    body += "mad.lo.u32 %r2, %r2, 31, %r" + std::to_string(r) + ";\n";
  return body;
}

}  // namespace

TEST_CASE("registers that share slots hold what registers of their own hold")
{
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    EngineRig kernel = rig(random_body(seed, 40), 64);
    const Outcome own = kernel.run();
    kernel.checked = false;
    kernel.options.checks = CheckSet::always();
    const Outcome shared = kernel.run();
    CHECK(own.checks() == "");
    CHECK(own.out == shared.out);
    CHECK(shared.program->register_bytes <= own.program->register_bytes);
  }
}

TEST_CASE("registers needed one after the other take one slot")
{
  std::string body = "mov.u32 %r3, 1;\n";
  for (int r = 4; r < 39; ++r)
    body += "add.u32 %r" + std::to_string(r) + ", %r" + std::to_string(r - 1) + ", 1;\n";
  EngineRig kernel = rig(body + "mov.u32 %r2, %r38;");
  const std::uint32_t own = kernel.run().program->register_bytes;
  kernel.checked = false;
  kernel.options.checks = CheckSet::always();
  const Outcome outcome = kernel.run();
  CHECK(outcome.out[5] == 36);
  CHECK(own - outcome.program->register_bytes > 30U * 128);
}

}  // namespace flashgate::gpu
