#pragma once

#include "gpu/kernels/head_rows.cuh"
#include "gpu/kernels/mma.cuh"
#include "gpu/kernels/tile_shape.h"

// Tiles in shared memory, their shape a type, and asynchronous copies into them.

namespace flashgate::gpu::kernels {

template <typename Element_, int kRows_, int kColumns_>
struct alignas(16) SharedTile
{
  using Element = Element_;
  static constexpr int kRows = kRows_;
  static constexpr int kColumns = kColumns_;

  Element elements[kRows][kColumns + kSharedPadding];

  __device__ __forceinline__ Element* at(int row, int column) { return &elements[row][column]; }
  __device__ __forceinline__ const Element* at(int row, int column) const { return &elements[row][column]; }
  __device__ __forceinline__ const Element* at(int row, int column, const MatrixRow& lane) const
  {
    return &elements[row + lane.row][column + lane.column];
  }
};

/// Starts a copy of 16 bytes. If not `exists` nothing is read, and the 16 bytes become zeros.
__device__ __forceinline__ void copy_async_or_zero(void* shared, const void* global, bool exists)
{
  constexpr int kChunkBytes = kChunkElements * kElementBytes;
  const auto destination = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const auto source = __cvta_generic_to_global(global);
  const int bytes = exists ? kChunkBytes : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(destination), "l"(source), "n"(kChunkBytes),
               "r"(bytes)
               : "memory");
}

/// Makes the copies that this thread started since the last call a group.
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until at most the newest kPending groups of this thread are under way.
template <int kPending>
__device__ __forceinline__ void wait_for_copies()
{
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

/// Starts the copies of a tile from `first_row` on. What lies beyond the head's rows and columns becomes zero, so that
/// padding never meets a product, whatever it holds.
template <int kThreads, typename Tile>
__device__ __forceinline__ void load_tile(Tile& tile, const HeadRows<const typename Tile::Element>& head, int first_row)
{
  constexpr int kRowChunks = Tile::kColumns / kChunkElements;
  constexpr int kChunks = Tile::kRows * kRowChunks;
  static_assert(kChunks % kThreads == 0);
#pragma unroll 4  // all at once would take more registers than there are, for head dim 256
  for (int i = 0; i < kChunks / kThreads; ++i) {
    const int chunk = i * kThreads + static_cast<int>(threadIdx.x);
    const int row = chunk / kRowChunks;
    const int column = chunk % kRowChunks * kChunkElements;
    const bool exists = row < head.row_count - first_row && column < head.columns;
    copy_async_or_zero(tile.at(row, column), exists ? head.at(first_row + row, column) : head.rows, exists);
  }
}

}  // namespace flashgate::gpu::kernels
