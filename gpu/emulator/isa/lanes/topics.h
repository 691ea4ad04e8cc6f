#pragma once

#include "gpu/emulator/isa/form_sink.h"
#include "gpu/emulator/isa/lanes/vector.h"

/// What each file of lanes/ supports. A new file (say wgmma.cpp) adds a line here, one in entry.cpp and one in
/// CMakeLists.txt.
namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

void list_bits(const FormSink& sink);
void list_carry(const FormSink& sink);
void list_compare(const FormSink& sink);
void list_convert(const FormSink& sink);
void list_convert_half(const FormSink& sink);
void list_floating(const FormSink& sink);
void list_half(const FormSink& sink);
void list_half_compare(const FormSink& sink);
void list_integer(const FormSink& sink);
void list_matrix(const FormSink& sink);
void list_move(const FormSink& sink);
void list_special(const FormSink& sink);
void list_warp(const FormSink& sink);

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
