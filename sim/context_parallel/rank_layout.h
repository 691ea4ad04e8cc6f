#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/tensor.h"

namespace flashgate::sim {

/// Which rows of a sequence a context-parallel rank owns. Pure functions, any thread.
///
/// A sequence of seqlen rows is cut into equal chunks, the unit of ownership, and a rank holds its chunks one after
/// the other, in the order of chunk_ids; that tensor is its shard.
enum class RankLayout {
  contiguous,  ///< cp_size chunks; rank r owns chunk r
  zigzag,      ///< DualChunkSwap: 2 cp_size chunks; rank r owns chunks r and 2 cp_size - 1 - r, which evens out causal
               ///< work (Paddle's context_parallel_utils.py)
};
std::string_view name(RankLayout layout);

/// The rows of one rank: chunk ids * chunk_size ... + chunk_size - 1 of each id, in this order.
struct RankRows
{
  std::vector<int> chunk_ids;
  int chunk_size = 0;

  int count() const { return static_cast<int>(chunk_ids.size()) * chunk_size; }

  /// Global row of local row i. REQUIRES: 0 <= i < count().
  int global(int i) const { return chunk_ids[static_cast<std::size_t>(i / chunk_size)] * chunk_size + i % chunk_size; }
};

/// The rows of rank cp_rank. Throws Error if cp_rank is not in [0, cp_size), or if seqlen is not a positive multiple of
/// the number of chunks: chunks of unequal length are never made up by padding.
RankRows rank_rows(RankLayout layout, int cp_rank, int cp_size, int seqlen);

/// The shard of `whole` along `axis` (0 ... 3, of [batch, heads, seq, dim]): its chunks, copied. Rows of `whole` behind
/// the last chunk are padding and left alone. Throws Error if `whole` is too short.
reference::Tensor<double> dispatch(const reference::Tensor<double>& whole, const RankRows& rows, int axis = 2);

/// The inverse for one rank: copies a shard's chunks to their places in `whole`. Throws Error if shapes do not fit.
void undispatch(const reference::Tensor<double>& shard, const RankRows& rows, reference::Tensor<double>& whole,
                int axis = 2);

/// The length of a tensor along an axis, and zeros of its shape with another length along the axis. Both
/// throw Error for an axis that does not exist.
int extent(const reference::Tensor<double>& tensor, int axis);
reference::Tensor<double> with_extent(const reference::Tensor<double>& like, int axis, int length);

}  // namespace flashgate::sim
