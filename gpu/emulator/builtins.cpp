#include "gpu/emulator/builtins.h"

#include <cstdio>

#include "gpu/emulator/device_print.h"
#include "gpu/emulator/report.h"
#include "gpu/emulator/thread_memory.h"

namespace flashgate::gpu {
namespace {

Warp& warp_of(isa::Registers& registers) { return static_cast<Warp&>(registers); }

std::string text_or_unknown(const Warp& warp, int lane, std::uint64_t address)
{
  return read_text(warp, lane, address).value_or("?");
}

}  // namespace

void do_nothing(isa::Registers&, const isa::Instruction&, isa::LaneMask) {}

void trap(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes)
{
  Warp& warp = warp_of(registers);
  report(*warp.engine, warp, Check::trap, lanes, instruction.index, -1, "trap executed");
  throw LaunchEnded{};
}

void trap_unknown_callee(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes)
{
  Warp& warp = warp_of(registers);
  report(*warp.engine, warp, Check::trap, lanes, instruction.index, -1,
         "indirect call of an address that is no function of this type, or of one that is running (recursion)");
  throw LaunchEnded{};
}

void print(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes)
{
  Warp& warp = warp_of(registers);
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const auto format = read_text(warp, lane, read_local<std::uint64_t>(warp, lane, instruction.immediate));
    const auto arguments = read_local<std::uint64_t>(warp, lane, instruction.a);
    const PrintedText printed = format_text(warp, lane, format.value_or(""), arguments);
    const auto& print_to = warp.engine->options.print;
    if (print_to) {
      print_to(printed.text);
    } else {
      std::fwrite(printed.text.data(), 1, printed.text.size(), stdout);
    }
    if (instruction.b != isa::kNoSlot) {
      write_local(warp, lane, instruction.b, format ? printed.conversions : 0xFFFF'FFFF);
    }
  }
}

void fail_assertion(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes)
{
  Warp& warp = warp_of(registers);
  const int lane = __builtin_ctz(lanes);
  const auto text = [&](std::uint64_t home) {
    return text_or_unknown(warp, lane, read_local<std::uint64_t>(warp, lane, home));
  };
  report(*warp.engine, warp, Check::assertion, lanes, instruction.index, -1,
         "assertion `" + text(instruction.immediate) + "` failed: " + text(instruction.a) + ":" +
             std::to_string(read_local<std::uint32_t>(warp, lane, instruction.b)) + ", in " +
             text(instruction.slot[0]));
  throw LaunchEnded{};
}

}  // namespace flashgate::gpu
