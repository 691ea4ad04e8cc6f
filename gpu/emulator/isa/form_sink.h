#pragma once

#include "gpu/emulator/isa/form.h"

namespace flashgate::gpu::isa {

/// Where a core's code reports what it has. A plain function pointer, since that code must not instantiate anything of
/// the library that other translation units share (see lanes/vector.h).
struct FormSink
{
  void* list = nullptr;
  void (*append)(void* list, const Form& form, Handler handler) = nullptr;

  [[gnu::always_inline]] void operator()(const Form& form, Handler handler) const { append(list, form, handler); }
};

}  // namespace flashgate::gpu::isa
