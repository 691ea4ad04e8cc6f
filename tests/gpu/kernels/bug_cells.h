#pragma once

#include "tests/gpu/kernels/judged_case.h"

namespace flashgate::gpu::kernels {

/// B05: one query with q = 0 over four key tiles whose parts of dQ are 2^18, 2^-6 and -2^18 (and 0). In fp32 their sum
/// is 0 if 2^-6 is added to +2^18 before -2^18 is, else 2^-6: both within the bound, so only bits tell whether an order
/// is kept.
JudgedCase order_of_dq_sums();

}  // namespace flashgate::gpu::kernels
