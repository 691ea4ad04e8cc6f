#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/emulator/memory/memory_form.h"

namespace flashgate::gpu {

/// Generic addresses. The top byte tells the space: no address of a Linux process has it set, so a generic address of
/// global memory is the global address itself, and none of shared, local or param memory is null.
inline constexpr std::uint64_t kSharedWindow = 0x01ULL << 56;
inline constexpr std::uint64_t kLocalWindow = 0x02ULL << 56;
inline constexpr std::uint64_t kParamWindow = 0x03ULL << 56;
inline constexpr std::uint64_t kWindowMask = 0xFFULL << 56;

/// What bytes hold that nobody wrote, that a copy in flight will write, or that a load out of bounds gives: NaN in
/// every floating-point type.
inline constexpr std::byte kPoison{0xFF};

/// The window of a space; 0 for global and constant.
constexpr std::uint64_t window_of(StateSpace space)
{
  switch (space) {
    case StateSpace::shared:
      return kSharedWindow;
    case StateSpace::local:
      return kLocalWindow;
    case StateSpace::param:
      return kParamWindow;
    default:
      return 0;
  }
}

/// The space that a generic address lies in; never generic.
constexpr StateSpace space_of(std::uint64_t generic)
{
  switch (generic & kWindowMask) {
    case kSharedWindow:
      return StateSpace::shared;
    case kLocalWindow:
      return StateSpace::local;
    case kParamWindow:
      return StateSpace::param;
    default:
      return StateSpace::global;
  }
}

}  // namespace flashgate::gpu
