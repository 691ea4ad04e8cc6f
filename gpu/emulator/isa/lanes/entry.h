#pragma once

#include "gpu/emulator/isa/form_sink.h"

/// The one function that each core exports: reports every form it has, with its handler.
namespace flashgate::gpu::isa::core_generic {
void list_forms(const FormSink& sink);
}
namespace flashgate::gpu::isa::core_avx2 {
void list_forms(const FormSink& sink);
}
namespace flashgate::gpu::isa::core_avx512 {
void list_forms(const FormSink& sink);
}
