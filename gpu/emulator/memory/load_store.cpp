#include <cstring>

#include "gpu/emulator/memory/access_checks.h"
#include "gpu/emulator/memory/access_counters.h"
#include "gpu/emulator/memory/handlers.h"
#include "gpu/emulator/memory/lane_moves.h"

namespace flashgate::gpu {
namespace {

template <bool kChecked>
void load(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  const FormWord form(instruction.a);
  by_space(warp, instruction, form, mask, false,
           [&](const Request& request, const LaneAddresses& addresses, isa::LaneMask lanes, LanePointers& pointers) {
             if constexpr (kChecked) {
               count_access(*warp.context, request, addresses, lanes);
               AccessChecks checks(warp, instruction, form, request, pointers);
               checks.aligned(addresses, lanes, request.bytes);
               checks.reads();
               move_loaded(warp, instruction, form, lanes, pointers);
               if (!form.strong()) return;
               for_lanes(pointers.good, [&](std::uint32_t lane) { checks.synchronise(lane, true, false); });
             } else {
               move_loaded(warp, instruction, form, lanes, pointers);
             }
           });
}

/// Lane by lane: what a store finds in memory tells whether it matters that it is unordered.
void store_each(MemoryWarp& warp, const isa::Instruction& instruction, const FormWord& form, const Request& request,
                const LanePointers& pointers, AccessChecks& checks)
{
  constexpr std::size_t kLongest = 64;
  std::array<std::byte, isa::kLanes * kLongest> values;
  std::array<std::byte*, isa::kLanes> value_of;
  for (std::size_t lane = 0; lane < isa::kLanes; ++lane)
    value_of[lane] = values.data() + lane * kLongest;
  move_stored(warp, instruction, form, pointers.good, value_of);
  for_lanes(pointers.good, [&](std::uint32_t lane) {
    checks.write(lane, value_of[lane]);
    std::memcpy(pointers.at[lane], value_of[lane], request.bytes);
    checks.synchronise(lane, false, true);
  });
}

template <bool kChecked>
void store(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  const FormWord form(instruction.a);
  by_space(warp, instruction, form, mask, true,
           [&](const Request& request, const LaneAddresses& addresses, isa::LaneMask lanes, LanePointers& pointers) {
             if constexpr (kChecked) {
               count_access(*warp.context, request, addresses, lanes);
               AccessChecks checks(warp, instruction, form, request, pointers);
               checks.aligned(addresses, lanes, request.bytes);
               if (!checks.writes_in_order()) return store_each(warp, instruction, form, request, pointers, checks);
               move_stored(warp, instruction, form, pointers.good, pointers.at);
             } else {
               move_stored(warp, instruction, form, lanes, pointers.at);
             }
           });
}

bool is_supported(const MemoryForm& form)
{
  const unsigned bytes = form.element_bytes * form.count;
  return form.element_bytes <= form.register_bytes && form.register_bytes >= 2 && form.register_bytes <= 8 &&
         form.count >= 1 && form.count <= 8 && bytes <= 32;
}

}  // namespace

isa::Handler load_handler(const MemoryForm& form, bool checked)
{
  if (!is_supported(form)) return nullptr;
  return checked ? load<true> : load<false>;
}

isa::Handler store_handler(const MemoryForm& form, bool checked)
{
  const bool constant = form.space == StateSpace::constant || form.space == StateSpace::param;
  if (!is_supported(form) || constant) return nullptr;
  return checked ? store<true> : store<false>;
}

}  // namespace flashgate::gpu
