#pragma once

#include <cstdint>

#include "gpu/emulator/isa/form.h"

namespace flashgate::gpu::isa {

/// f16 and bf16 by the list of all their values, which shares nothing with the semantics under test.

enum class HalfFormat : std::uint8_t { f16, bf16 };

/// The number that the bits are.
double half_value(HalfFormat format, std::uint64_t bits);

/// `exact` rounded to the format; Rounding::rn, rz, rm or rp. The canonical 0x7FFF for what is no number.
std::uint64_t rounded_half(HalfFormat format, long double exact, Rounding rounding);

bool is_half_nan(HalfFormat format, std::uint64_t bits);
/// Subnormal halves become zeros of their sign.
std::uint64_t flushed_half(HalfFormat format, std::uint64_t bits);

}  // namespace flashgate::gpu::isa
