#pragma once

#include "gpu/emulator/isa/lanes/vector.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

/// Rounding direction and treatment of subnormals, as the processor's MXCSR register has them.
inline constexpr unsigned kDefaultControl = 0x1F80;  ///< round to nearest even, subnormals kept, no traps
inline constexpr unsigned kFlushControl = 0x8040;    ///< subnormal operands and results become zero, sign kept

consteval unsigned control_of(Rounding rounding, bool ftz)
{
  unsigned control = kDefaultControl;
  if (rounding == Rounding::rm || rounding == Rounding::rmi) control |= 0x2000;
  if (rounding == Rounding::rp || rounding == Rounding::rpi) control |= 0x4000;
  if (rounding == Rounding::rz || rounding == Rounding::rzi) control |= 0x6000;
  return ftz ? control | kFlushControl : control;
}

/// Arrays of the calling function that with_control() is to order accesses to as well: the compiler takes their
/// addresses for known elsewhere from here on.
template <typename... T>
FLASHGATE_INLINE void make_visible(T*... arrays)
{
  (([](void* array) { asm volatile("" : : "r"(array) : "memory"); })(arrays), ...);
}

/// Runs `body` under `kControl`; whoever calls a handler has the default. The barriers keep every load of the body
/// behind the change and every store before the way back (to local arrays only after make_visible()), which is what
/// ties the arithmetic between them to the mode: the compiler itself knows nothing of modes.
template <unsigned kControl, typename Body>
FLASHGATE_INLINE void with_control(Body body)
{
  if constexpr (kControl == kDefaultControl) {
    body();
  } else {
    const unsigned inside = kControl;
    const unsigned outside = kDefaultControl;
    asm volatile("ldmxcsr %0" : : "m"(inside) : "memory");
    body();
    asm volatile("ldmxcsr %0" : : "m"(outside) : "memory");
  }
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
