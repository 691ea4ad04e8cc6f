#pragma once

#include <cstdint>

#include "reference/problem.h"

namespace flashgate::reference {

/// bf16 (1 sign, 8 exponent, 7 fraction bits) and fp16 (1, 5, 10) as bit patterns, and rounding to them.
///
/// All roundings are IEEE 754 round-to-nearest-even, straight from double: going through float first would round twice
/// and move values that lie just beside a tie. Subnormals are kept, overflow goes to infinity, a NaN becomes a quiet
/// NaN of the same sign. Every function is pure and safe on any thread.
std::uint16_t bf16_bits(double value);
std::uint16_t fp16_bits(double value);

/// The exact value of a bit pattern (every bf16 and fp16 value is a double).
double bf16_value(std::uint16_t bits);
double fp16_value(std::uint16_t bits);

/// The same two by dtype.
std::uint16_t to_bits(Dtype dtype, double value);
double from_bits(Dtype dtype, std::uint16_t bits);

/// The nearest value of the dtype: from_bits(to_bits(value)), without the detour through bits.
double round_to(Dtype dtype, double value);

/// Unit roundoff u: |round_to(x) - x| <= u |x| for normal x. bf16 2^-8, fp16 2^-11.
double unit_roundoff(Dtype dtype);

/// Smallest positive value (a subnormal); below the normal range rounding errs by at most half of it.
double smallest_subnormal(Dtype dtype);

/// Largest finite value.
double largest_finite(Dtype dtype);

/// Distance between two values of the dtype counted in representable values; +0 and -0 are one value. A distance to or
/// from a NaN is the largest int64, and 0 between two NaNs.
std::int64_t ulp_distance(Dtype dtype, double a, double b);

}  // namespace flashgate::reference
