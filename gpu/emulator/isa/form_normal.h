#pragma once

#include "gpu/emulator/isa/form.h"

namespace flashgate::gpu::isa {

/// The one form that stands for all spellings of the same instruction: defaults spelled out, types replaced by bit
/// types where only the width matters. supported_forms() are of this kind.
Form normal_form(const Form& form);

}  // namespace flashgate::gpu::isa
