#include "gpu/emulator/memory/lane_moves.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace flashgate::gpu {
namespace {

template <typename M>
M read_from(const std::byte* from)
{
  M value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename M, typename R>
void load_element(const LanePointers& from, std::size_t offset, R* to, isa::LaneMask mask)
{
  if (mask == isa::kAllLanes) {
    for (std::size_t lane = 0; lane < isa::kLanes; ++lane)
      to[lane] = static_cast<R>(read_from<M>(from.at[lane] + offset));
  } else {
    for_lanes(mask, [&](std::uint32_t lane) { to[lane] = static_cast<R>(read_from<M>(from.at[lane] + offset)); });
  }
}

template <typename M, typename R>
void store_lane(const std::array<const R*, 8>& from, std::size_t count, std::uint32_t lane, std::byte* to)
{
  for (std::size_t k = 0; k < count; ++k) {
    const auto value = static_cast<M>(from[k][lane]);
    std::memcpy(to + k * sizeof(M), &value, sizeof value);
  }
}

/// Calls `use(memory, register)` with values of the types of an element in memory and in its register; the register
/// type is unsigned, that in memory signed if it is to be extended so.
template <typename M, typename Use>
void with_register(const FormWord& form, const Use& use)
{
  if constexpr (sizeof(M) <= 2) {
    if (form.register_bytes() == 2) return use(M{}, std::uint16_t{});
  }
  if constexpr (sizeof(M) <= 4) {
    if (form.register_bytes() == 4) return use(M{}, std::uint32_t{});
  }
  use(M{}, std::uint64_t{});
}

template <typename Use>
void with_types(const FormWord& form, const Use& use)
{
  const auto signed_or_not = [&](auto unsigned_type) {
    using Unsigned = decltype(unsigned_type);
    if (form.sign_extend()) return with_register<std::make_signed_t<Unsigned>>(form, use);
    with_register<Unsigned>(form, use);
  };
  switch (form.element_bytes()) {
    case 1:
      return signed_or_not(std::uint8_t{});
    case 2:
      return signed_or_not(std::uint16_t{});
    case 4:
      return signed_or_not(std::uint32_t{});
    default:
      return with_register<std::uint64_t>(form, use);
  }
}

}  // namespace

void move_loaded(const isa::Registers& registers, const isa::Instruction& instruction, const FormWord& form,
                 isa::LaneMask mask, const LanePointers& from)
{
  with_types(form, [&](auto memory_type, auto register_type) {
    using M = decltype(memory_type);
    using R = decltype(register_type);
    for (std::size_t k = 0; k < form.count(); ++k) {
      if (instruction.slot[k] == isa::kNoSlot) continue;
      load_element<M>(from, k * sizeof(M), registers.lanes<R>(instruction.slot[k]), mask);
    }
  });
}

void move_stored(const isa::Registers& registers, const isa::Instruction& instruction, const FormWord& form,
                 isa::LaneMask mask, const std::array<std::byte*, isa::kLanes>& to)
{
  with_types(form, [&](auto memory_type, auto register_type) {
    using M = decltype(memory_type);
    using R = decltype(register_type);
    std::array<const R*, 8> from{};
    const std::size_t count = form.count();
    for (std::size_t k = 0; k < count; ++k)
      from[k] = registers.lanes<R>(instruction.slot[k]);
    if (mask == isa::kAllLanes && count == 1) {
      for (std::uint32_t lane = 0; lane < isa::kLanes; ++lane)
        store_lane<M>(from, 1, lane, to[lane]);
    } else {
      for_lanes(mask, [&](std::uint32_t lane) { store_lane<M>(from, count, lane, to[lane]); });
    }
  });
}

}  // namespace flashgate::gpu
