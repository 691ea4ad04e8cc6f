#include "gpu/emulator/memory/memory_form.h"

#include <bit>

#include "gpu/emulator/memory/form_word.h"
#include "gpu/emulator/memory/handlers.h"

namespace flashgate::gpu {

std::uint32_t memory_word(const MemoryForm& form) { return FormWord::pack(form); }

isa::Handler find_memory_handler(const MemoryForm& form, bool checked)
{
  switch (form.operation) {
    case MemoryOperation::load:
      return load_handler(form, checked);
    case MemoryOperation::store:
      return store_handler(form, checked);
    case MemoryOperation::atomic:
    case MemoryOperation::reduce:
      return atomic_handler(form, checked);
    case MemoryOperation::load_matrix:
    case MemoryOperation::store_matrix:
      return matrix_handler(form, checked);
    case MemoryOperation::copy_async:
    case MemoryOperation::copy_commit:
    case MemoryOperation::copy_wait_group:
    case MemoryOperation::copy_wait_all:
      return async_copy_handler(form, checked);
    case MemoryOperation::fence:
      return fence_handler(checked);
    case MemoryOperation::nothing:
      return [](isa::Registers&, const isa::Instruction&, isa::LaneMask) {};
    case MemoryOperation::is_space:
    case MemoryOperation::to_generic:
    case MemoryOperation::from_generic:
      return address_handler(form);
  }
  return nullptr;
}

}  // namespace flashgate::gpu
