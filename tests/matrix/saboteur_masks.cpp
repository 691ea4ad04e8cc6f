#include "tests/matrix/saboteur_masks.h"

#include <algorithm>
#include <limits>

#include "matrix/reference_backend.h"
#include "reference/mask_expand.h"

namespace flashgate::matrix {

using reference::Causal;
using reference::PlantedFault;

namespace {

void for_each_column(OwnCall& own, const auto& use)
{
  for (int b = 0; b < own.mask.batch; ++b)
    for (int h = 0; h < own.mask.heads; ++h)
      for (int j = 0; j < own.mask.seqlen_k; ++j)
        use(b, h, j);
}

}  // namespace

void give_columns(OwnCall& own)
{
  if (!own.mask.empty()) return;
  const bool causal = own.problem.causal != reference::Causal::none;
  own.mask = reference::make_column_mask(own.problem.batch, 1, own.problem.seqlen_k, causal ? 1 : 2);
  for_each_column(own, [&](int b, int h, int j) { own.mask.bound(b, h, j, 0) = own.problem.seqlen_q; });
}

void hide_keys(OwnCall& own, int begin, int end)
{
  give_columns(own);
  const bool causal = own.problem.causal != reference::Causal::none;
  const bool has_end = own.mask.bounds_per_column == 4 || (causal && own.mask.bounds_per_column == 2);
  for_each_column(own, [&](int b, int h, int j) {
    if (j < begin || j >= end) return;
    own.mask.bound(b, h, j, 0) = 0;
    if (has_end) own.mask.bound(b, h, j, 1) = own.problem.seqlen_q;
  });
}

void change_bounds(OwnCall& own, int c, std::int32_t (*change)(std::int32_t bound, int seqlen_q))
{
  if (c >= own.mask.bounds_per_column) return;
  for_each_column(own, [&](int b, int h, int j) {
    std::int32_t& bound = own.mask.bound(b, h, j, c);
    bound = change(bound, own.problem.seqlen_q);
  });
}

void drop_columns(OwnCall& own) { own.mask = {own.problem.batch, 1, own.problem.seqlen_k, 0, {}}; }

Place last_element(const KernelCall& call, bool visible)
{
  for (int i = call.problem.seqlen_q - 1; i >= 0; --i)
    for (int j = 0; j < call.problem.seqlen_k; ++j)
      if (reference::masked(call.problem, {call.mask}, 0, 0, i, j) != visible) return {i, j};
  return {};
}

void run_right(const KernelCall& call, KernelOutputs& outputs)
{
  run_rounded(call, rounding_of(call.numerics), outputs);
}

void run_planted(const KernelCall& call, const PlantedFault& fault, KernelOutputs& outputs)
{
  reference::RoundedOptions options = rounding_of(call.numerics);
  options.fault = fault;
  run_rounded(call, options, outputs);
}

void late_lt_start(const KernelCall& call, KernelOutputs& outputs)
{
  OwnCall own(call);
  change_bounds(own, 0, [](std::int32_t bound, int seqlen_q) { return bound < seqlen_q ? bound + 1 : bound; });
  run_right(own.call(), outputs);
}

void late_ut_end(const KernelCall& call, KernelOutputs& outputs)
{
  OwnCall own(call);
  if (call.problem.causal == Causal::none)
    change_bounds(own, call.mask.bounds_per_column - 1,
                  [](std::int32_t bound, int seqlen_q) { return bound > 0 && bound < seqlen_q ? bound - 1 : bound; });
  run_right(own.call(), outputs);
}

void unsigned_bounds(const KernelCall& call, KernelOutputs& outputs)
{
  OwnCall own(call);
  for (int c = 0; c < call.mask.bounds_per_column; ++c)
    change_bounds(own, c,
                  [](std::int32_t bound, int) { return bound < 0 ? std::numeric_limits<std::int32_t>::max() : bound; });
  run_right(own.call(), outputs);
}

void other_corner(const KernelCall& call, KernelOutputs& outputs)
{
  OwnCall own(call);
  if (own.problem.causal == Causal::bottom_right)
    own.problem.causal = Causal::top_left;
  else if (own.problem.causal == Causal::top_left)
    own.problem.causal = Causal::bottom_right;
  run_right(own.call(), outputs);
}

/// rows >= lt_start or rows < lt_end, as a non-causal call reads two bounds; the causal part stays.
void lt_end_as_ut_end(const KernelCall& call, KernelOutputs& outputs)
{
  OwnCall own(call);
  if (call.problem.causal != Causal::none && call.mask.bounds_per_column == 2) {
    const int shift = call.problem.causal == Causal::top_left ? 0 : call.problem.seqlen_k - call.problem.seqlen_q;
    own.problem.causal = Causal::none;
    for (int b = 0; b < own.mask.batch; ++b)
      for (int h = 0; h < own.mask.heads; ++h)
        for (int j = 0; j < own.mask.seqlen_k; ++j)
          own.mask.bound(b, h, j, 1) = std::max(own.mask.bound(b, h, j, 1), j - shift);
  }
  run_right(own.call(), outputs);
}

void columns_ignored(const KernelCall& call, KernelOutputs& outputs)
{
  OwnCall own(call);
  if (call.mask.bounds_per_column != 4) drop_columns(own);
  run_right(own.call(), outputs);
}

void lost_last_tile(const KernelCall& call, KernelOutputs& outputs)
{
  OwnCall own(call);
  hide_keys(own, last_tile(call.problem), call.problem.seqlen_k);
  run_right(own.call(), outputs);
}

void lost_element(const KernelCall& call, KernelOutputs& outputs)
{
  const Place place = last_element(call, true);
  run_planted(call, {PlantedFault::Kind::lost_element, place.row, place.column}, outputs);
}

void leaked_element(const KernelCall& call, KernelOutputs& outputs)
{
  const Place place = last_element(call, false);
  run_planted(call, {PlantedFault::Kind::leaked_element, place.row, place.column}, outputs);
}

}  // namespace flashgate::matrix
