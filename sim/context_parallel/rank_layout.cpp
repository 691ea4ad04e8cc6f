#include "sim/context_parallel/rank_layout.h"

#include <algorithm>
#include <array>
#include <string>

#include "reference/error.h"

namespace flashgate::sim {
namespace {

using reference::Tensor;

std::array<int, 4> shape(const Tensor<double>& t) { return {t.batch(), t.heads(), t.seq(), t.dim()}; }

void require_axis(int axis)
{
  if (axis < 0 || axis > 3) throw Error("axis must be 0, 1, 2 or 3, got " + std::to_string(axis));
}

/// Elements of one step along the axis.
std::ptrdiff_t stride(const Tensor<double>& tensor, int axis)
{
  const auto extents = shape(tensor);
  std::ptrdiff_t elements = 1;
  for (std::size_t a = 3; a > static_cast<std::size_t>(axis); --a)
    elements *= extents[a];
  return elements;
}

/// Calls copy(offset in shard, offset in whole, elements) for each run of elements that lies together in both.
template <typename Copy>
void for_each_run(const Tensor<double>& shard, const Tensor<double>& whole, const RankRows& rows, int axis, Copy copy)
{
  if (extent(shard, axis) != rows.count()) throw Error("shard: its length is not that of the rank's chunks");
  const int last = *std::max_element(rows.chunk_ids.begin(), rows.chunk_ids.end());
  if (extent(whole, axis) < (last + 1) * rows.chunk_size) {
    throw Error("dispatch: the sequence has " + std::to_string(extent(whole, axis)) + " rows, chunk " +
                std::to_string(last) + " ends at " + std::to_string((last + 1) * rows.chunk_size));
  }
  const std::ptrdiff_t row = stride(whole, axis);
  const std::ptrdiff_t run = row * rows.chunk_size;
  const std::ptrdiff_t outer = shard.size() == 0 ? 0 : std::ssize(shard) / (row * rows.count());
  for (std::ptrdiff_t o = 0; o < outer; ++o) {
    for (std::size_t k = 0; k < rows.chunk_ids.size(); ++k) {
      copy(o * row * rows.count() + static_cast<std::ptrdiff_t>(k) * run,
           o * row * extent(whole, axis) + rows.chunk_ids[k] * run, run);
    }
  }
}

}  // namespace

std::string_view name(RankLayout layout) { return layout == RankLayout::contiguous ? "contiguous" : "zigzag"; }

RankRows rank_rows(RankLayout layout, int cp_rank, int cp_size, int seqlen)
{
  if (cp_size < 1 || cp_rank < 0 || cp_rank >= cp_size) {
    throw Error("cp_rank must be in [0, cp_size), got " + std::to_string(cp_rank) + " of " + std::to_string(cp_size));
  }
  const int chunks = layout == RankLayout::zigzag ? 2 * cp_size : cp_size;
  if (seqlen < 1 || seqlen % chunks != 0) {
    throw Error("context parallel, " + std::string(name(layout)) + ": the sequence length must be a multiple of " +
                std::to_string(chunks) + ", got " + std::to_string(seqlen));
  }
  if (layout == RankLayout::contiguous) return {{cp_rank}, seqlen / chunks};
  return {{cp_rank, chunks - 1 - cp_rank}, seqlen / chunks};
}

int extent(const Tensor<double>& tensor, int axis)
{
  require_axis(axis);
  return shape(tensor)[static_cast<std::size_t>(axis)];
}

Tensor<double> with_extent(const Tensor<double>& like, int axis, int length)
{
  require_axis(axis);
  auto extents = shape(like);
  extents[static_cast<std::size_t>(axis)] = length;
  return Tensor<double>(extents[0], extents[1], extents[2], extents[3]);
}

Tensor<double> dispatch(const Tensor<double>& whole, const RankRows& rows, int axis)
{
  Tensor<double> shard = with_extent(whole, axis, rows.count());
  for_each_run(shard, whole, rows, axis, [&](std::ptrdiff_t to, std::ptrdiff_t from, std::ptrdiff_t elements) {
    std::copy_n(whole.begin() + from, elements, shard.begin() + to);
  });
  return shard;
}

void undispatch(const Tensor<double>& shard, const RankRows& rows, Tensor<double>& whole, int axis)
{
  Tensor<double> expected = with_extent(whole, axis, rows.count());
  if (!expected.same_shape(shard)) throw Error("undispatch: the shard does not fit the sequence it belongs to");
  for_each_run(shard, whole, rows, axis, [&](std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t elements) {
    std::copy_n(shard.begin() + from, elements, whole.begin() + to);
  });
}

}  // namespace flashgate::sim
