#pragma once

#include "gpu/emulator/decode/flat_body.h"

namespace flashgate::gpu::decode {

/// Gives the entry's parameters their offsets, and says how many bytes they take.
void place_parameters(FlatBody& flat, Frame& entry);

/// Gives the variables that a frame's body declares a place in shared or local memory. Parameters of calls are local.
void place_variables(FlatBody& flat, Frame& frame);

/// Gives the module's shared variables a place, as far as the bodies in `flat` name them.
void place_shared_variables(FlatBody& flat);

}  // namespace flashgate::gpu::decode
