#include "matrix/numerics_case.h"
#include "reference/mask_families.h"

namespace flashgate::matrix {
namespace {

using Id = NumericsAxisId;
using reference::Problem;

bool is_causal(const NumericsCase& numerics) { return number_of(numerics, Id::causal) != 0; }

reference::Causal corner(const NumericsCase& numerics)
{
  if (!is_causal(numerics)) return reference::Causal::none;
  return number_of(numerics, Id::kernel) == 2 ? reference::Causal::top_left : reference::Causal::bottom_right;
}

/// A scale that a caller could set and that no default equals.
constexpr double kSetScaleFactor = 0.75;

}  // namespace

reference::Encoding encoding_of(const NumericsCase& numerics)
{
  return {is_causal(numerics), number_of(numerics, Id::mask_columns)};
}

Problem to_problem(const NumericsCase& numerics)
{
  const AxisValue& seqlen = value_of(numerics, Id::seqlen);
  const AxisValue& heads = value_of(numerics, Id::heads);
  const AxisValue& head_dim = value_of(numerics, Id::head_dim);
  Problem problem;
  problem.batch = number_of(numerics, Id::batch);
  problem.num_heads = heads.number;
  problem.num_heads_kv = heads.second;
  problem.seqlen_q = seqlen.number;
  problem.seqlen_k = seqlen.second;
  problem.head_dim = head_dim.number;
  problem.head_dim_v = head_dim.second;
  problem.softmax_scale = reference::default_softmax_scale(problem.head_dim);
  if (number_of(numerics, Id::scale) != 0) problem.softmax_scale *= kSetScaleFactor;
  problem.causal = corner(numerics);
  problem.dtype = static_cast<reference::Dtype>(number_of(numerics, Id::dtype));
  return problem;
}

int mask_head_count(const NumericsCase& numerics)
{
  const AxisValue& heads = value_of(numerics, Id::heads);
  switch (static_cast<MaskHeads>(number_of(numerics, Id::mask_heads))) {
    case MaskHeads::per_kv_head:
      return heads.second;
    case MaskHeads::per_q_head:
      return heads.number;
    default:
      return 1;
  }
}

reference::ColumnMask make_mask(const NumericsCase& numerics, const Problem& problem)
{
  const int mask_heads = mask_head_count(numerics);
  return reference::make_mask(
      reference::default_spec(family_of(numerics), encoding_of(numerics), problem, mask_heads, numerics.seed), problem);
}

reference::AttentionInputs make_inputs(const NumericsCase& numerics, const Problem& problem,
                                       const reference::ColumnMask& mask)
{
  return reference::fill_inputs(static_cast<reference::Fill>(number_of(numerics, Id::fill)), problem, mask,
                                numerics.seed);
}

std::int64_t score_count(const NumericsCase& numerics)
{
  const AxisValue& seqlen = value_of(numerics, Id::seqlen);
  return std::int64_t{seqlen.number} * seqlen.second * number_of(numerics, Id::heads) * number_of(numerics, Id::batch);
}

double cost_of(const NumericsCase& numerics)
{
  constexpr double kBackwardFactor = 4;  // forward first, then five products instead of two, twice the bounds
  const AxisValue& head_dim = value_of(numerics, Id::head_dim);
  const double forward = static_cast<double>(score_count(numerics)) * (head_dim.number + head_dim.second);
  return is_backward(numerics) ? kBackwardFactor * forward : forward;
}

}  // namespace flashgate::matrix
