#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// The two dtypes, bf16 and fp16: conversions from and to fp32, all to nearest even.

namespace flashgate::gpu::kernels {

using Bf16 = __nv_bfloat16;
using Fp16 = __half;

__device__ __forceinline__ float to_float(Bf16 value) { return __bfloat162float(value); }
__device__ __forceinline__ float to_float(Fp16 value) { return __half2float(value); }

template <typename Element>
__device__ __forceinline__ Element from_float(float value);
template <>
__device__ __forceinline__ Bf16 from_float<Bf16>(float value)
{
  return __float2bfloat16_rn(value);
}
template <>
__device__ __forceinline__ Fp16 from_float<Fp16>(float value)
{
  return __float2half_rn(value);
}

/// Two elements as an mma operand and a 32-bit store have them, the first in the lower half.
template <typename Element>
__device__ __forceinline__ std::uint32_t pack(float first, float second);
template <>
__device__ __forceinline__ std::uint32_t pack<Bf16>(float first, float second)
{
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
template <>
__device__ __forceinline__ std::uint32_t pack<Fp16>(float first, float second)
{
  std::uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}

}  // namespace flashgate::gpu::kernels
