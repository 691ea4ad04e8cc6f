#pragma once

#include <cstdint>
#include <type_traits>

namespace flashgate::gpu::kernels {

/// What every attention kernel of this folder is launched with: one struct for all of them, plain data, the same bytes
/// on the host and on the device. Addresses are device addresses, 0 where a kernel has no use for the tensor; strides
/// count elements and are 64-bit, so that no product of an index and a stride is ever formed in 32 bits.
/// attention_launch.h fills everything but addresses.

/// [batch, heads, rows, columns] of the dtype, columns adjacent. Q, K, V and dO: address and strides are multiples of
/// 16 bytes; the others: of 4.
struct HeadTensor
{
  std::uint64_t address = 0;
  std::int64_t batch_stride = 0;
  std::int64_t head_stride = 0;
  std::int64_t row_stride = 0;
};

/// [batch, heads, rows] fp32, rows adjacent.
struct RowValues
{
  std::uint64_t address = 0;
  std::int64_t batch_stride = 0;
  std::int64_t head_stride = 0;
};

/// startend_row_indices [batch, mask heads, seqlen_k, bounds_per_column] int32 without gaps; docs/mask_semantics.md.
struct ColumnBounds
{
  std::uint64_t address = 0;
  std::int32_t heads = 1;              ///< 1, num_heads_kv or num_heads
  std::int32_t bounds_per_column = 0;  ///< 0, 1, 2 or 4
};

/// Smallest and largest bound over the key columns of one tile, causal and the end of the keys included
/// (masked_rows.cuh). Workspace: [batch, mask heads, key tiles].
struct alignas(16) TileBounds
{
  std::int32_t lt_start_min, lt_start_max;
  std::int32_t lt_end_min, lt_end_max;
  std::int32_t ut_start_min, ut_start_max;
  std::int32_t ut_end_min, ut_end_max;
};

struct AttentionParameters
{
  HeadTensor q, k, v;     ///< [batch, heads or kv heads, seqlen, head_dim or head_dim_v]
  HeadTensor o;           ///< written by forward, read by backward
  HeadTensor d_o;         ///< gradient of O
  HeadTensor dq, dk, dv;  ///< written by backward
  RowValues lse;          ///< natural log; written by forward, read by backward
  RowValues delta;        ///< workspace of backward: rowsum(dO * O)

  ColumnBounds column_bounds;
  std::uint64_t tile_bounds = 0;     ///< workspace: TileBounds
  std::uint64_t dq_accumulator = 0;  ///< workspace: fp32 [batch, num_heads, seqlen_q, dq_columns]; 0 if dQ is ordered

  std::int32_t batch = 1;
  std::int32_t num_heads = 1;
  std::int32_t num_heads_kv = 1;
  std::int32_t seqlen_q = 1;
  std::int32_t seqlen_k = 1;
  std::int32_t head_dim = 1;
  std::int32_t head_dim_v = 1;
  std::int32_t dq_columns = 0;    ///< head dim of the instantiation, at least head_dim
  std::int32_t tile_columns = 0;  ///< keys per tile of tile_bounds

  std::int32_t is_causal = 0;
  std::int32_t causal_offset = 0;  ///< row i sees keys j <= i + offset: 0 top left, seqlen_k - seqlen_q bottom right
  std::int32_t skips_tiles = 1;    ///< 0: every tile is computed and tested element by element; the same bits
  float softmax_scale = 1.0F;
  float lse_masked_row = 0.0F;  ///< LSE of a fully masked row: -inf, or +inf as version 2 has it
};

static_assert(std::is_trivially_copyable_v<AttentionParameters>);
static_assert(sizeof(AttentionParameters) <= 4096, "more than a kernel's parameters may take on every device");

}  // namespace flashgate::gpu::kernels
