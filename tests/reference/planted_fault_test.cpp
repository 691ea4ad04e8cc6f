// The tolerance can tell right from wrong: six planted faults, each caught whenever its effect in double, before any
// rounding, exceeds twice the bound on some element. Cases whose effect is smaller do not count, and must be few.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include <doctest/doctest.h>

#include "reference/half.h"
#include "reference/mask_expand.h"
#include "tests/reference/numerics_case.h"

namespace flashgate::reference {
namespace {

constexpr int kCasesPerFault = 300;
/// An effect of more than twice the bound is seen through an error of up to one bound on the other side.
constexpr double kCountsFrom = 2.0;
/// Share of a fault's cases that must count.
constexpr double kCountingShare = 0.9;
constexpr double kScaleOff = 1.01;

enum class Fault { leaked_element, lost_element, scale_off, max_not_rescaled, lse_off_ln2, wrong_group_head };

struct FaultRow
{
  Fault fault;
  const char* name;
  PlantedFault::Kind kind;  ///< none: planted from outside
};

constexpr FaultRow kFaults[] = {
    {Fault::leaked_element, "one masked element leaked", PlantedFault::Kind::leaked_element},
    {Fault::lost_element, "one visible element lost", PlantedFault::Kind::lost_element},
    {Fault::scale_off, "scale off by 1 %", PlantedFault::Kind::none},
    {Fault::max_not_rescaled, "one tile's maximum not rescaled", PlantedFault::Kind::max_not_rescaled},
    {Fault::lse_off_ln2, "LSE off by ln 2", PlantedFault::Kind::none},
    {Fault::wrong_group_head, "one query head credited to another group", PlantedFault::Kind::wrong_group_head},
};

/// Fills that the fault can show in: zero scores know neither scale nor maximum, large ranges leave most keys no weight
/// to lose, poisoned keys leak NaN at once.
bool suits(Fault fault, Fill fill)
{
  if (fill == Fill::masked_nan) return false;
  if (fill == Fill::large_range) return fault != Fault::lost_element;
  return fill != Fill::zero_scores || (fault != Fault::scale_off && fault != Fault::max_not_rescaled);
}

/// An element of head 0, batch 0 that is visible or not, as asked; false if there is none.
bool draw_element(const NumericsCase& c, bool visible, Draw& draw, PlantedFault& fault)
{
  for (int tries = 0; tries < 64; ++tries) {
    fault.row = draw.integer(0, c.problem.seqlen_q - 1);
    fault.column = draw.integer(0, c.problem.seqlen_k - 1);
    if (masked(c.problem, {c.mask}, 0, 0, fault.row, fault.column) != visible) return true;
  }
  return false;
}

/// A key tile of row's head in which some row's maximum rises above what it had seen: elsewhere the fault does nothing.
bool draw_rising_tile(const NumericsCase& c, PlantedFault& fault)
{
  const double scale = c.problem.softmax_scale;
  for (int i = 0; i < c.problem.seqlen_q; ++i) {
    double before = -INFINITY;
    for (int j = 0; j < c.problem.seqlen_k; ++j) {
      if (masked(c.problem, {c.mask}, 0, 0, i, j)) continue;
      const double score = scale * c.inputs.q.head(0, 0).row(i).dot(c.inputs.k.head(0, 0).row(j));
      if (std::isfinite(before) && score > before && j % c.rounding.key_tile == 0) {
        fault.column = j;
        return true;
      }
      before = std::max(before, score);
    }
  }
  return false;
}

/// Draws cases until one can carry the fault.
NumericsCase draw_faulty_case(const FaultRow& row, Draw& draw)
{
  while (true) {
    NumericsCase c = draw_numerics_case(draw);
    c.rounding.key_tile = 16;
    PlantedFault& fault = c.rounding.fault;
    fault.kind = row.kind;
    if (!suits(row.fault, c.fill)) continue;
    if (row.fault == Fault::leaked_element && !draw_element(c, false, draw, fault)) continue;
    if (row.fault == Fault::lost_element && !draw_element(c, true, draw, fault)) continue;
    if (row.fault == Fault::max_not_rescaled && !draw_rising_tile(c, fault)) continue;
    if (row.fault == Fault::wrong_group_head && c.problem.num_heads_kv < 2) continue;
    if (visible_area(c.problem, {c.mask}).elements == 0) continue;
    return c;
  }
}

/// The faulty results in double.
SixTensors faulty_exact(const NumericsCase& c, Fault fault)
{
  const PlantedFault& planted = c.rounding.fault;
  const Sees sees = [&](int b, int h, int i, int j) {
    if (b == 0 && h == 0 && i == planted.row && j == planted.column) {
      if (planted.kind == PlantedFault::Kind::leaked_element) return true;
      if (planted.kind == PlantedFault::Kind::lost_element) return false;
    }
    return !masked(c.problem, {c.mask}, b, h, i, j);
  };
  Problem problem = c.problem;
  if (fault == Fault::scale_off) problem.softmax_scale *= kScaleOff;
  const NaiveResult result = naive_attention(problem, sees, c.inputs, planted, c.rounding.key_tile);
  SixTensors tensors = as_tensors(result.outputs, result.gradients);
  if (fault == Fault::lse_off_ln2) {
    for (double& lse : tensors[1])
      lse += std::numbers::ln2;
  }
  return tensors;
}

/// The faulty results of a kernel that rounds.
SixTensors faulty_rounded(NumericsCase c, Fault fault)
{
  if (fault == Fault::scale_off) c.problem.softmax_scale *= kScaleOff;
  SixTensors tensors = run_rounded(c);
  if (fault == Fault::lse_off_ln2) {
    for (double& lse : tensors[1])
      lse = static_cast<float>(lse + std::numbers::ln2);
  }
  return tensors;
}

/// Expected values with bounds raised to half the smallest value of the dtype: where a result is exact its bound is 0,
/// and an effect that rounds away when it is stored is none.
Expected storable(const NumericsCase& c, Expected expected)
{
  for (std::size_t n = 0; n < kTensorNames.size(); ++n) {
    if (kTensorNames[n] == "lse") continue;
    for (double& bound : expected.bounds[n])
      bound = std::fmax(bound, 0.5 * smallest_subnormal(c.problem.dtype));
  }
  return expected;
}

double largest(const std::array<double, kTensorNames.size()>& ratios) { return *std::ranges::max_element(ratios); }

/// Names of the tensors beyond their bound.
void count_tensors(const std::array<double, kTensorNames.size()>& ratios, std::map<std::string, int>& counts)
{
  for (std::size_t n = 0; n < ratios.size(); ++n)
    counts[std::string(kTensorNames[n])] += ratios[n] > 1 ? 1 : 0;
}

}  // namespace

TEST_CASE("every planted fault whose effect exceeds twice the bound is caught, and nine of ten do")
{
  Draw draw(77);
  for (const FaultRow& row : kFaults) {
    CAPTURE(std::string(row.name));
    int counted = 0;
    int caught = 0;
    std::map<std::string, int> tensors;
    for (int n = 0; n < kCasesPerFault; ++n) {
      const NumericsCase c = draw_faulty_case(row, draw);
      const Expected expected = expect(c);
      const auto effect = bound_ratios(c, faulty_exact(c, row.fault), storable(c, expected));
      const auto seen = bound_ratios(c, faulty_rounded(c, row.fault), expected);
      count_tensors(seen, tensors);
      if (largest(effect) <= kCountsFrom) continue;
      counted += 1;
      caught += largest(seen) > 1 ? 1 : 0;
    }
    CHECK(caught == counted);
    CHECK(counted >= kCountingShare * kCasesPerFault);
    std::string by_tensor;
    for (const auto& [tensor, count] : tensors)
      by_tensor += " " + tensor + " " + std::to_string(count);
    MESSAGE(std::string(row.name), ": of ", kCasesPerFault, " cases ", counted, " count, ", caught,
            " caught; beyond bound in", by_tensor);
  }
}

}  // namespace flashgate::reference
