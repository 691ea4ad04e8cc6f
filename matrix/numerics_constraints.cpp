#include <array>

#include "matrix/numerics_case.h"
#include "reference/mask_expand.h"
#include "reference/mask_families.h"

namespace flashgate::matrix {
namespace {

using Id = NumericsAxisId;
using reference::Problem;

bool family_has_encoding(const NumericsCase& numerics)
{
  return reference::has_encoding(family_of(numerics), encoding_of(numerics));
}

bool no_columns_no_mask_heads(const NumericsCase& numerics)
{
  return number_of(numerics, Id::mask_columns) != 0 || numerics[Id::mask_heads] == 0;
}

/// Each number of mask heads under one name only.
bool mask_heads_differ(const NumericsCase& numerics)
{
  const AxisValue& heads = value_of(numerics, Id::heads);
  const auto mask_heads = static_cast<MaskHeads>(number_of(numerics, Id::mask_heads));
  if (mask_heads == MaskHeads::per_kv_head) return heads.second > 1;
  return mask_heads == MaskHeads::one || heads.number != heads.second;
}

bool kernel_takes_mask_heads(const NumericsCase& numerics)
{
  const int kernel = number_of(numerics, Id::kernel);
  return number_of(numerics, Id::mask_heads) != static_cast<int>(MaskHeads::per_q_head) || kernel == 3 ||
         kernel == kNaiveKernel;
}

bool chunks_are_equal(const NumericsCase& numerics)
{
  const int cp_size = number_of(numerics, Id::cp_size);
  const AxisValue& seqlen = value_of(numerics, Id::seqlen);
  return cp_size == 1 || (seqlen.number % (2 * cp_size) == 0 && seqlen.second % (2 * cp_size) == 0);
}

bool padding_stays_on_one_rank(const NumericsCase& numerics)
{
  return number_of(numerics, Id::cp_size) == 1 ||
         number_of(numerics, Id::fill) != static_cast<int>(reference::Fill::padding_poison);
}

bool v2_fixes_the_scale(const NumericsCase& numerics)
{
  return numerics[Id::scale] == 0 || number_of(numerics, Id::kernel) != 2;
}

bool zero_scores_have_no_dq(const NumericsCase& numerics)
{
  return !is_backward(numerics) || number_of(numerics, Id::fill) != static_cast<int>(reference::Fill::zero_scores);
}

/// Which masks leave an element visible, for one head, by the axes that decide it. Seed 1 draws the evictions.
class VisibleMasks
{
 public:
  VisibleMasks()
  {
    for (const Id id : kAxes)
      size_ *= numerics_axis(id).values.size();
    for (std::size_t n = 0; n < size_; ++n)
      visible_.push_back(has_visible(case_at(n)));
  }

  bool contains(const NumericsCase& numerics) const
  {
    std::size_t position = 0;
    for (const Id id : kAxes)
      position = position * numerics_axis(id).values.size() + numerics[id];
    return visible_[position];
  }

 private:
  static constexpr std::array kAxes{Id::kernel, Id::family, Id::causal, Id::mask_columns, Id::seqlen};

  static NumericsCase case_at(std::size_t position)
  {
    NumericsCase numerics;
    for (auto id = kAxes.rbegin(); id != kAxes.rend(); ++id) {
      const std::size_t count = numerics_axis(*id).values.size();
      numerics[*id] = static_cast<std::uint8_t>(position % count);
      position /= count;
    }
    return numerics;
  }

  static bool has_visible(const NumericsCase& numerics)
  {
    if (!family_has_encoding(numerics)) return true;  // another constraint's business
    Problem problem = to_problem(numerics);
    problem.num_heads = 1;
    problem.num_heads_kv = 1;
    return reference::visible_area(problem, {make_mask(numerics, problem)}).elements > 0;
  }

  std::size_t size_ = 1;
  std::vector<bool> visible_;
};

bool something_is_visible(const NumericsCase& numerics)
{
  static const VisibleMasks masks;
  return masks.contains(numerics);
}

bool is_affordable(const NumericsCase& numerics) { return score_count(numerics) <= kLargestScoreCount; }

std::vector<NumericsConstraint> make_constraints()
{
  return {
      {"family_has_encoding",
       "the family can't be written with that many columns, or not with that causal",
       {Id::family, Id::causal, Id::mask_columns},
       family_has_encoding},
      {"no_columns_no_mask_heads",
       "without a column mask there are no mask heads to count",
       {Id::mask_columns, Id::mask_heads},
       no_columns_no_mask_heads},
      {"mask_heads_differ",
       "the same number of mask heads has another name already",
       {Id::heads, Id::mask_heads},
       mask_heads_differ},
      {"kernel_takes_mask_heads",
       "one mask head per query head is v3's alone",
       {Id::kernel, Id::mask_heads},
       kernel_takes_mask_heads},
      {"chunks_are_equal",
       "context parallel needs lengths that divide by two chunks per rank",
       {Id::cp_size, Id::seqlen},
       chunks_are_equal},
      {"padding_stays_on_one_rank",
       "shards of context parallel have no padding to poison",
       {Id::cp_size, Id::fill},
       padding_stays_on_one_rank},
      {"v2_fixes_the_scale", "v2 takes no softmax_scale", {Id::kernel, Id::scale}, v2_fixes_the_scale},
      {"zero_scores_have_no_dq",
       "with K = 0 every dQ is zero, which proves nothing",
       {Id::direction, Id::fill},
       zero_scores_have_no_dq},
      {"something_is_visible",
       "the mask hides every element, which proves nothing",
       {Id::kernel, Id::family, Id::causal, Id::mask_columns, Id::seqlen},
       something_is_visible},
      {"is_affordable",
       "more scores than one case may cost (kLargestScoreCount)",
       {Id::seqlen, Id::heads, Id::batch},
       is_affordable},
  };
}

}  // namespace

const std::vector<NumericsConstraint>& numerics_constraints()
{
  static const std::vector<NumericsConstraint> all = make_constraints();
  return all;
}

std::string_view excluded_by(const NumericsCase& numerics)
{
  for (const NumericsConstraint& constraint : numerics_constraints())
    if (!constraint.allows(numerics)) return constraint.reason;
  return "";
}

}  // namespace flashgate::matrix
