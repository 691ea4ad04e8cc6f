#include "sim/context_parallel/index_map.h"

#include <algorithm>
#include <functional>
#include <string>

#include "reference/error.h"

namespace flashgate::sim {
namespace {

using reference::Causal;
using reference::ColumnMask;
using reference::Problem;

void require(bool holds, const std::string& line)
{
  if (!holds) throw Error("context parallel: " + line);
}

/// The end of the rows that causal masks in column j. Rows below 0 do not exist, so 0 says as much as a negative end.
std::int32_t causal_end(const Problem& problem, int j)
{
  const int shift = problem.causal == Causal::bottom_right ? problem.seqlen_k - problem.seqlen_q : 0;
  return std::max(0, j - shift);
}

ColumnMask causal_without_columns(const Problem& problem)
{
  ColumnMask encoded = reference::make_column_mask(problem.batch, 1, problem.seqlen_k, 2);
  for (int b = 0; b < problem.batch; ++b) {
    for (int j = 0; j < problem.seqlen_k; ++j) {
      encoded.bound(b, 0, j, 0) = problem.seqlen_q;
      encoded.bound(b, 0, j, 1) = causal_end(problem, j);
    }
  }
  return encoded;
}

void encode_column(const Problem& problem, const ColumnMask& mask, int b, int head, int j, ColumnMask& encoded)
{
  for (int c = 0; c < mask.bounds_per_column; ++c)
    encoded.bound(b, head, j, c) = mask.bound(b, head, j, c);
  encoded.bound(b, head, j, encoded.bounds_per_column - 1) = causal_end(problem, j);
}

/// Calls visit(b, head, j) for every column.
template <typename Visit>
void for_each_column(const ColumnMask& mask, Visit visit)
{
  for (int b = 0; b < mask.batch; ++b) {
    for (int head = 0; head < mask.heads; ++head) {
      for (int j = 0; j < mask.seqlen_k; ++j)
        visit(b, head, j);
    }
  }
}

void require_localisable(const Problem& problem, const ColumnMask& mask, const RankRows& rows)
{
  require(problem.causal == Causal::none,
          "a local call can't be causal, its corner has nothing to do with the rows a rank owns; encode the mask "
          "non-causally first");
  require(mask.empty() || mask.bounds_per_column != 1, "one bound per column only means something in a causal call");
  require(!rows.chunk_ids.empty() && rows.chunk_size > 0, "a rank must own at least one row");
  const bool ascending =
      std::adjacent_find(rows.chunk_ids.begin(), rows.chunk_ids.end(), std::greater_equal<>()) == rows.chunk_ids.end();
  require(ascending,
          "chunk ids must ascend: with a later chunk first, the owned rows of an interval are not one local interval");
  require(rows.chunk_ids.front() >= 0 && problem.seqlen_q % rows.chunk_size == 0 &&
              rows.chunk_ids.back() < problem.seqlen_q / rows.chunk_size,
          "chunks of " + std::to_string(rows.chunk_size) + " rows must divide a sequence of " +
              std::to_string(problem.seqlen_q) + " and lie in it: the map needs every owned chunk whole");
}

}  // namespace

std::int32_t local_bound(const RankRows& rows, std::int32_t x)
{
  std::int64_t bound = 0;
  for (std::size_t k = 0; k < rows.chunk_ids.size(); ++k) {
    const std::int64_t c = rows.chunk_size;
    const std::int64_t inside = std::clamp<std::int64_t>(std::int64_t{x} - rows.chunk_ids[k] * c, 0, c);
    if (inside > 0) bound = std::max(bound, inside + static_cast<std::int64_t>(k) * c);
  }
  return static_cast<std::int32_t>(bound);
}

ColumnMask encode_noncausal(const Problem& problem, const ColumnMask& mask)
{
  if (problem.causal == Causal::none) return mask;
  if (mask.empty()) return causal_without_columns(problem);
  require(mask.bounds_per_column == 1 || mask.bounds_per_column == 2,
          "a causal mask has one or two bounds per column, got " + std::to_string(mask.bounds_per_column));
  ColumnMask encoded =
      reference::make_column_mask(mask.batch, mask.heads, mask.seqlen_k, mask.bounds_per_column == 1 ? 2 : 4);
  for_each_column(mask, [&](int b, int head, int j) { encode_column(problem, mask, b, head, j, encoded); });
  return encoded;
}

ColumnMask localise(const Problem& problem, const ColumnMask& mask, const RankRows& rows)
{
  require_localisable(problem, mask, rows);
  ColumnMask local = mask;
  for (std::int32_t& bound : local.startend_row_indices)
    bound = local_bound(rows, bound);
  return local;
}

ColumnMask select_columns(const ColumnMask& mask, const RankRows& keys)
{
  if (mask.empty()) return mask;
  ColumnMask selected = reference::make_column_mask(mask.batch, mask.heads, keys.count(), mask.bounds_per_column);
  for_each_column(selected, [&](int b, int head, int j) {
    for (int c = 0; c < mask.bounds_per_column; ++c)
      selected.bound(b, head, j, c) = mask.bound(b, head, keys.global(j), c);
  });
  return selected;
}

}  // namespace flashgate::sim
