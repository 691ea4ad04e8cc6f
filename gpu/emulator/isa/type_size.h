#pragma once

#include "gpu/emulator/isa/form.h"

namespace flashgate::gpu::isa {

/// Bytes of the register of natural width that holds the type: 2 for 8-bit types, 0 for predicates and none.
int register_size(Type type);

/// The bit type as wide as the type: b16, b32 or b64; pred and none stay.
Type bits_type(Type type);

}  // namespace flashgate::gpu::isa
