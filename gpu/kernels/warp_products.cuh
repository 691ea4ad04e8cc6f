#pragma once

#include "gpu/kernels/shared_tile.cuh"

// Products of tiles, one warp's 16 rows of the result in registers. The names say which operand is transposed; a
// transposed operand lies in shared memory as it is and is turned while it is loaded.

namespace flashgate::gpu::kernels {

/// 16 x kColumns in fp32, spread over the lanes of a warp as mma.cuh says. Element i of fragment n belongs to row
/// lane_row() + i / 2 * 8 and column n * 8 + lane_column() + i % 2.
template <int kColumns_>
struct Accumulator
{
  static constexpr int kColumns = kColumns_;
  static constexpr int kFragments = kColumns / kMmaN;
  static_assert(kColumns % kLoadColumns == 0);

  float fragments[kFragments][kFragmentElements] = {};
};

/// Calls visit(element, which of the lane's rows, column) for all elements of this lane.
template <int kColumns, typename Visit>
__device__ __forceinline__ void for_each_element(Accumulator<kColumns>& c, Visit visit)
{
#pragma unroll
  for (int n = 0; n < Accumulator<kColumns>::kFragments; ++n)
#pragma unroll
    for (int i = 0; i < kFragmentElements; ++i)
      visit(c.fragments[n][i], i / 2, n * kMmaN + lane_column() + i % 2);
}

/// C += A B for one k step: B, kColumns wide, lies with its k along the rows.
template <int kColumns, typename Tile>
__device__ __forceinline__ void multiply_step(Accumulator<kColumns>& c, const std::uint32_t (&a)[4], const Tile& b,
                                              int k, int column)
{
#pragma unroll
  for (int n = 0; n < kColumns; n += kLoadColumns) {
    std::uint32_t right[4];
    load_matrices_transposed(right, b.at(k, column + n, rows_first()));
    multiply_add<typename Tile::Element>(c.fragments[n / kMmaN], a, right[0], right[1]);
    multiply_add<typename Tile::Element>(c.fragments[n / kMmaN + 1], a, right[2], right[3]);
  }
}

/// C(16 x kColumns) += A[a_row .. + 16, :] B[b_row .. + kColumns, :]^T
template <int kColumns, typename TileA, typename TileB>
__device__ __forceinline__ void multiply_abt(Accumulator<kColumns>& c, const TileA& a, int a_row, const TileB& b,
                                             int b_row)
{
  static_assert(TileA::kColumns == TileB::kColumns);
#pragma unroll
  for (int k = 0; k < TileA::kColumns; k += kMmaK) {
    std::uint32_t left[4];
    load_matrices(left, a.at(a_row, k, rows_first()));
#pragma unroll
    for (int n = 0; n < kColumns; n += kLoadColumns) {
      std::uint32_t right[4];
      load_matrices(right, b.at(b_row + n, k, columns_first()));
      multiply_add<typename TileA::Element>(c.fragments[n / kMmaN], left, right[0], right[1]);
      multiply_add<typename TileA::Element>(c.fragments[n / kMmaN + 1], left, right[2], right[3]);
    }
  }
}

/// C(16 x kColumns) += A[a_row .. + 16, :] B[:, b_column .. + kColumns]
template <int kColumns, typename TileA, typename TileB>
__device__ __forceinline__ void multiply_ab(Accumulator<kColumns>& c, const TileA& a, int a_row, const TileB& b,
                                            int b_column)
{
  static_assert(TileA::kColumns == TileB::kRows);
#pragma unroll
  for (int k = 0; k < TileA::kColumns; k += kMmaK) {
    std::uint32_t left[4];
    load_matrices(left, a.at(a_row, k, rows_first()));
    multiply_step(c, left, b, k, b_column);
  }
}

/// C(16 x kColumns) += A[:, a_column .. + 16]^T B[:, b_column .. + kColumns]
template <int kColumns, typename TileA, typename TileB>
__device__ __forceinline__ void multiply_atb(Accumulator<kColumns>& c, const TileA& a, int a_column, const TileB& b,
                                             int b_column)
{
  static_assert(TileA::kRows == TileB::kRows);
#pragma unroll
  for (int k = 0; k < TileA::kRows; k += kMmaK) {
    std::uint32_t left[4];
    load_matrices_transposed(left, a.at(k, a_column, columns_first()));
    multiply_step(c, left, b, k, b_column);
  }
}

/// C(16 x kColumns) += P B, P of this warp in registers: rounded to the dtype, C's layout is A's layout.
template <int kColumns, int kInner, typename Tile>
__device__ __forceinline__ void multiply_pb(Accumulator<kColumns>& c, const Accumulator<kInner>& p, const Tile& b)
{
  using Element = typename Tile::Element;
  static_assert(kInner == Tile::kRows && kColumns == Tile::kColumns);
#pragma unroll
  for (int k = 0; k < kInner; k += kMmaK) {
    const float(&left)[kFragmentElements] = p.fragments[k / kMmaN];
    const float(&right)[kFragmentElements] = p.fragments[k / kMmaN + 1];
    const std::uint32_t a[4] = {pack<Element>(left[0], left[1]), pack<Element>(left[2], left[3]),
                                pack<Element>(right[0], right[1]), pack<Element>(right[2], right[3])};
    multiply_step(c, a, b, k, 0);
  }
}

/// Rounds C to the dtype and puts it into a tile of shared memory.
template <int kColumns, typename Tile>
__device__ __forceinline__ void store_shared(Tile& tile, const Accumulator<kColumns>& c, int row, int column)
{
  using Element = typename Tile::Element;
#pragma unroll
  for (int n = 0; n < Accumulator<kColumns>::kFragments; ++n)
#pragma unroll
    for (int r = 0; r < kRowsPerLane; ++r) {
      Element* place = tile.at(row + lane_row() + r * kMatrixRows, column + n * kMmaN + lane_column());
      *reinterpret_cast<std::uint32_t*>(place) = pack<Element>(c.fragments[n][2 * r], c.fragments[n][2 * r + 1]);
    }
}

/// Rounds factor[row] C to the dtype and writes what lies inside the head's rows and columns.
template <typename Element, int kColumns>
__device__ __forceinline__ void store_global(const HeadRows<Element>& head, const Accumulator<kColumns>& c,
                                             const float (&factor)[kRowsPerLane], int first_row, int first_column)
{
#pragma unroll
  for (int r = 0; r < kRowsPerLane; ++r) {
    const int row = first_row + lane_row() + r * kMatrixRows;
    if (row >= head.row_count) continue;
#pragma unroll
    for (int n = 0; n < Accumulator<kColumns>::kFragments; ++n) {
      const int column = first_column + n * kMmaN + lane_column();
      if (column >= head.columns) continue;
      *reinterpret_cast<std::uint32_t*>(head.at(row, column)) =
          pack<Element>(factor[r] * c.fragments[n][2 * r], factor[r] * c.fragments[n][2 * r + 1]);
    }
  }
}

}  // namespace flashgate::gpu::kernels
