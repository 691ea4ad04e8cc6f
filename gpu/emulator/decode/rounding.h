#pragma once

#include "gpu/emulator/decode/modifiers.h"

namespace flashgate::gpu::decode {

/// Takes .rn, .rz, .rzi, ...; Rounding::none if there is none.
isa::Rounding take_rounding(Modifiers& modifiers);

}  // namespace flashgate::gpu::decode
