#include "gpu/emulator/clock.h"

#include "gpu/emulator/warp.h"

namespace flashgate::gpu {
namespace {

template <typename T, int kShift>
void read_clock(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes)
{
  auto& warp = static_cast<Warp&>(registers);
  const std::uint64_t now = warp.engine->executed + ++warp.engine->clock_reads;
  T* const to = warp.lanes<T>(instruction.slot[0]);
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1)
    to[__builtin_ctz(rest)] = static_cast<T>(now >> kShift);
}

}  // namespace

bool is_clock(std::string_view special_register)
{
  return special_register.starts_with("%clock") || special_register.starts_with("%globaltimer");
}

isa::Handler clock_handler(std::string_view special_register, std::uint32_t bytes)
{
  if (special_register.ends_with("_hi")) return read_clock<std::uint32_t, 32>;
  return bytes == 8 ? read_clock<std::uint64_t, 0> : read_clock<std::uint32_t, 0>;
}

}  // namespace flashgate::gpu
