#pragma once

#include <cstdint>

#include "gpu/kernels/attention_parameters.h"

// From the parameters' addresses and strides to typed pointers: which head a block works on, and the rows of a head.

namespace flashgate::gpu::kernels {

/// An address of global memory as a pointer that the compiler knows to be global.
template <typename T>
__device__ __forceinline__ T* global_pointer(std::uint64_t address)
{
  T* pointer = reinterpret_cast<T*>(address);
  __builtin_assume(__isGlobal(pointer));
  return pointer;
}

/// A query head of one batch entry and the heads that it reads.
struct QueryHead
{
  int batch;
  int head;
  int head_kv;    ///< head div group size
  int mask_head;  ///< head div (num_heads / mask heads)
};

__device__ __forceinline__ int group_size(const AttentionParameters& parameters)
{
  return parameters.num_heads / parameters.num_heads_kv;
}

__device__ __forceinline__ QueryHead query_head(const AttentionParameters& parameters, int batch, int head)
{
  const int heads_per_mask = parameters.num_heads / parameters.column_bounds.heads;
  return {batch, head, head / group_size(parameters), head / heads_per_mask};
}

/// The rows of one head: element (row, column) is rows[row * row_stride + column].
template <typename Element>
struct HeadRows
{
  Element* rows;
  std::int64_t row_stride;
  int row_count;  ///< beyond it nothing is read or written
  int columns;    ///< the same for columns

  __device__ __forceinline__ Element* at(int row, int column) const { return rows + row * row_stride + column; }
};

template <typename Element>
__device__ __forceinline__ HeadRows<Element> head_rows(const HeadTensor& tensor, int batch, int head, int row_count,
                                                       int columns)
{
  Element* base = global_pointer<Element>(tensor.address);
  return {base + batch * tensor.batch_stride + head * tensor.head_stride, tensor.row_stride, row_count, columns};
}

/// The fp32 values of a head's rows.
__device__ __forceinline__ float* row_values(const RowValues& values, int batch, int head)
{
  return global_pointer<float>(values.address) + batch * values.batch_stride + head * values.head_stride;
}

}  // namespace flashgate::gpu::kernels
