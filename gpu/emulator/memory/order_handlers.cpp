#include "gpu/emulator/memory/handlers.h"
#include "gpu/emulator/memory/lane_pointers.h"

/// Fences, and what is said of addresses without an access.
namespace flashgate::gpu {
namespace {

/// What the warp's flags said is known from here on, and what it did so far is what it publishes next.
void fence(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  if (!warp.context->keeps_clocks) return;
  WarpClock& clock = warp.memory.clock;
  clock.learn_heard();
  clock.fenced_cta = clock.now;
  if (FormWord(instruction.a).scope() != Scope::cta) clock.fenced_gpu = clock.now;
  clock.tick();
}

void no_fence(isa::Registers&, const isa::Instruction&, isa::LaneMask) {}

void is_space(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  const FormWord form(instruction.a);
  LaneAddresses addresses;
  read_addresses(warp, instruction, form.wide_address(), mask, addresses);
  isa::LaneMask held = 0;
  for_lanes(mask, [&](std::uint32_t lane) {
    const bool holds = space_of(addresses[lane]) == form.space() ||
                       (form.space() == StateSpace::constant && space_of(addresses[lane]) == StateSpace::global);
    held |= isa::LaneMask{holds} << lane;
  });
  isa::LaneMask& predicate = warp.predicates[instruction.slot[0]];
  predicate = (predicate & ~mask) | held;
}

/// Adds `window` to every address, in the width of the destination.
void shift_addresses(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask,
                     std::uint64_t window)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  const FormWord form(instruction.a);
  LaneAddresses addresses;
  read_addresses(warp, instruction, form.wide_address(), mask, addresses);
  for_lanes(mask, [&](std::uint32_t lane) {
    const std::uint64_t result = addresses[lane] + window;
    if (form.register_bytes() == 8) {
      warp.lanes<std::uint64_t>(instruction.slot[0])[lane] = result;
    } else {
      warp.lanes<std::uint32_t>(instruction.slot[0])[lane] = static_cast<std::uint32_t>(result);
    }
  });
}

void to_generic(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  shift_addresses(registers, instruction, mask, window_of(FormWord(instruction.a).space()));
}

void from_generic(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  shift_addresses(registers, instruction, mask, 0 - window_of(FormWord(instruction.a).space()));
}

}  // namespace

isa::Handler fence_handler(bool checked) { return checked ? fence : no_fence; }

isa::Handler address_handler(const MemoryForm& form)
{
  if (form.operation == MemoryOperation::is_space) return is_space;
  return form.operation == MemoryOperation::to_generic ? to_generic : from_generic;
}

}  // namespace flashgate::gpu
