#pragma once

#include <cstdint>

#include "gpu/kernels/element.cuh"
#include "gpu/kernels/tile_shape.h"

// The tensor core of sm_80: C(16 x 8, fp32) += A(16 x 16) B(16 x 8), and what feeds it from shared memory. With
// g = lane / 4 and t = lane % 4 a lane holds of C the elements (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1).

namespace flashgate::gpu::kernels {

inline constexpr int kFragmentElements = 4;  ///< of C per lane, and registers of A
inline constexpr int kQuadLanes = 4;         ///< lanes that share a row of C
inline constexpr int kRowsPerLane = 2;       ///< g and g + 8
inline constexpr int kMatrixRows = 8;        ///< of one of ldmatrix's matrices, and between a lane's two rows

__device__ __forceinline__ int lane_index() { return static_cast<int>(threadIdx.x) % kWarpLanes; }
__device__ __forceinline__ int warp_index() { return static_cast<int>(threadIdx.x) / kWarpLanes; }

/// Row and first column of this lane's elements of C.
__device__ __forceinline__ int lane_row() { return lane_index() / kQuadLanes; }
__device__ __forceinline__ int lane_column() { return lane_index() % kQuadLanes * 2; }

/// Which of ldmatrix.x4's 32 rows of 8 elements this lane points at, within 16 x 16: four matrices, down the rows first
/// or along the columns first.
struct MatrixRow
{
  int row;
  int column;
};
__device__ __forceinline__ MatrixRow rows_first() { return {lane_index() % kMmaM, lane_index() / kMmaM * kMatrixRows}; }
__device__ __forceinline__ MatrixRow columns_first()
{
  const int matrix = lane_index() / kMatrixRows;
  return {matrix / 2 * kMatrixRows + lane_index() % kMatrixRows, matrix % 2 * kMatrixRows};
}

/// Four 8 x 8 matrices; each lane gives the address of one row, a multiple of 16.
__device__ __forceinline__ void load_matrices(std::uint32_t (&registers)[4], const void* row)
{
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(address)
               : "memory");
}

/// The same, each matrix transposed.
__device__ __forceinline__ void load_matrices_transposed(std::uint32_t (&registers)[4], const void* row)
{
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(address)
               : "memory");
}

template <typename Element>
__device__ __forceinline__ void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                             std::uint32_t b1);

template <>
__device__ __forceinline__ void multiply_add<Bf16>(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                                   std::uint32_t b1)
{
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <>
__device__ __forceinline__ void multiply_add<Fp16>(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                                   std::uint32_t b1)
{
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace flashgate::gpu::kernels
