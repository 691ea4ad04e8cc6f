#pragma once

#include <cstdint>

#include "reference/column_mask.h"
#include "reference/problem.h"
#include "sim/context_parallel/rank_layout.h"

namespace flashgate::sim {

/// From the columns of a whole sequence to those of one rank. Key columns stay as they are; every bound, an absolute
/// query row, becomes a row of the rank's shard. Pure functions, any thread.

/// The field's map of one bound x (Paddle's preprocess_index, preprocess_index_dual_chunks and, for more chunks,
/// cp_balance): with c = chunk_size,
///
///   max over k of (u_k > 0 ? u_k + k c : 0), u_k = clip(x - id_k c, 0, c)
///
/// For ascending ids that is phi(x) = sum_k u_k, the number of owned rows before x, so the owned rows of [s, e) are
/// exactly the local rows [local_bound(s), local_bound(e)), for every s <= e; an empty interval stays empty.
/// docs/context_parallel.md proves it. For other orders it is wrong: REQUIRES ascending chunk_ids, which localise()
/// checks. Computed in 64 bits: in int32, x - id c wraps for x near INT_MIN.
std::int32_t local_bound(const RankRows& rows, std::int32_t x);

/// A causal call as a non-causal one with the same visible elements: the corner becomes a bound per column, since a
/// local call can't know where its rows stand. With d = seqlen_k - seqlen_q for bottom_right and 0 for top_left:
///
///   no columns        -> lt_start = seqlen_q, ut_end = j - d
///   lt_start          -> lt_start, ut_end = j - d
///   lt_start, lt_end  -> lt_start, lt_end, ut_start = 0, ut_end = j - d
///
/// A mask of a call that is not causal is returned unchanged. Throws Error for causal with four bounds.
reference::ColumnMask encode_noncausal(const reference::Problem& problem, const reference::ColumnMask& mask);

/// The mask with every bound mapped to the rank's rows; no columns stay no columns. Throws Error, with the reason, for
/// a causal problem (encode first), one bound per column, chunk ids that do not ascend, and rows that are not a share
/// of seqlen_q in equal chunks.
reference::ColumnMask localise(const reference::Problem& problem, const reference::ColumnMask& mask,
                               const RankRows& rows);

/// The columns that belong to the keys of one shard, in the order of the shard; bounds unchanged.
reference::ColumnMask select_columns(const reference::ColumnMask& mask, const RankRows& keys);

}  // namespace flashgate::sim
