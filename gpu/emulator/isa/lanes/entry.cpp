#include "gpu/emulator/isa/lanes/entry.h"

#include "gpu/emulator/isa/lanes/topics.h"

namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

void list_forms(const FormSink& sink)
{
  list_bits(sink);
  list_carry(sink);
  list_compare(sink);
  list_convert(sink);
  list_convert_half(sink);
  list_floating(sink);
  list_half(sink);
  list_half_compare(sink);
  list_integer(sink);
  list_matrix(sink);
  list_move(sink);
  list_special(sink);
  list_warp(sink);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
