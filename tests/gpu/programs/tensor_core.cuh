#pragma once

#include <cuda_bf16.h>

#include "tests/gpu/programs/program.cuh"

// The tensor core of sm_80 as the kernels here use it: C(16 x 8, float) += A(16 x 16, bf16) * B(16 x 8, bf16).
// With g = lane / 4 and t = lane % 4 a lane holds of C the elements (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1).

/// Four 8 x 8 matrices from shared memory; lane i gives the address of row i % 8 of matrix i / 8, a multiple of 16.
__device__ __forceinline__ void load_matrices(unsigned (&registers)[4], const __nv_bfloat16* row)
{
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(address)
               : "memory");
}

/// The same, each matrix transposed.
__device__ __forceinline__ void load_matrices_transposed(unsigned (&registers)[4], const __nv_bfloat16* row)
{
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(address)
               : "memory");
}

__device__ __forceinline__ void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Two numbers rounded to bf16, the first in the lower half.
__device__ __forceinline__ unsigned pack(float low, float high)
{
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}

/// Numbers in [-1, 1) that bf16 holds exactly, in an irregular order.
inline std::vector<float> sample_bf16(int size, unsigned seed)
{
  std::vector<float> values;
  for (int whole : sample(size, 256, seed))
    values.push_back(static_cast<float>(whole - 128) / 128.0f);
  return values;
}

inline std::vector<__nv_bfloat16> to_bf16(const std::vector<float>& values)
{
  std::vector<__nv_bfloat16> rounded;
  for (float value : values)
    rounded.push_back(__float2bfloat16(value));
  return rounded;
}
