#pragma once

#include <cstddef>
#include <vector>

#include "gpu/emulator/ptx/module.h"

namespace flashgate::gpu::decode {

/// Functions of the module whose address is taken somewhere: in a body, or in a variable's initial value. Parses all
/// bodies.
std::vector<std::size_t> address_taken_functions(const ptx::Module& module);

/// True if a function can be called through a pointer of this prototype.
bool matches(const ptx::Function& function, const ptx::CallPrototype& prototype);

}  // namespace flashgate::gpu::decode
