#pragma once

#include "gpu/emulator/memory/memory_form.h"

namespace flashgate::gpu {

/// The handlers by group, as find_memory_handler chooses them; nullptr where there is none.
isa::Handler load_handler(const MemoryForm& form, bool checked);
isa::Handler store_handler(const MemoryForm& form, bool checked);
isa::Handler atomic_handler(const MemoryForm& form, bool checked);
isa::Handler matrix_handler(const MemoryForm& form, bool checked);
isa::Handler async_copy_handler(const MemoryForm& form, bool checked);
isa::Handler fence_handler(bool checked);
isa::Handler address_handler(const MemoryForm& form);

}  // namespace flashgate::gpu
