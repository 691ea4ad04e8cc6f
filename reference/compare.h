#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/attention.h"
#include "reference/error_bound.h"
#include "reference/mask_expand.h"

namespace flashgate::reference {

/// Comparison of a kernel's tensor with the oracle's: the columns of table `metric`. Pure functions, any thread.

/// The format a tensor is stored in, for distances in units of the last place.
enum class Format { bf16, fp16, fp32 };
Format format_of(Dtype dtype);

/// Upper ends of the ULP histogram's buckets; the last bucket is everything above and every non-finite disagreement.
constexpr std::array<std::int64_t, 9> kUlpBucketEnds = {0, 1, 2, 4, 8, 16, 64, 256, 4096};
using UlpHistogram = std::array<std::int64_t, kUlpBucketEnds.size() + 1>;

/// Position [batch, head, sequence, dimension].
struct ElementIndex
{
  int b = 0;
  int h = 0;
  int s = 0;
  int d = 0;
};

struct TensorMetrics
{
  std::int64_t elements = 0;
  double max_abs_err = 0;  ///< over elements finite on both sides
  double max_rel_err = 0;  ///< |error| / |expected|, same elements, expected not 0
  double bound_ratio = 0;  ///< largest error / bound; at most 1 passes. Infinite for a non-finite disagreement
  UlpHistogram ulp_histogram{};
  ElementIndex worst;  ///< where bound_ratio is
  double worst_actual = 0;
  double worst_expected = 0;
  double worst_bound = 0;
  std::int64_t failures = 0;            ///< elements with error > bound
  std::int64_t nonfinite_count = 0;     ///< elements of `actual` that are NaN or infinite
  std::int64_t nonfinite_expected = 0;  ///< the same of `expected`
  double zero_share = 0;                ///< of `expected`
};

/// Compares element by element. Where `expected` is NaN, `actual` must be NaN; where it is infinite, equal; anything
/// else is an infinite bound_ratio. An error of 0 has ratio 0 whatever the bound; with bound 0 any error is infinite.
/// Only the rows of `expected` are looked at: `actual` may be longer. Throws Error if other extents differ.
TensorMetrics compare(const Tensor<double>& actual, const Tensor<double>& expected, const Tensor<double>& bound,
                      Format format);

/// Sinks' gradients as a [1, heads, 1, 1] tensor, so that they compare like the others.
Tensor<double> as_tensor(const std::vector<double>& per_head);

/// Whether the data could have shown a fault at all. A passing result on mistrusted data is not a pass.
struct Trust
{
  bool mistrusted = false;
  std::string reason;  ///< one line, empty if trusted
};

/// Largest share of zeros, beyond those that masks force, at which a tensor still shows something: with more, most
/// elements agree whatever a kernel does.
constexpr double kMaxZeroShare = 0.5;

/// Mistrusted: nothing visible; oracle non-finite (apart from the -inf of fully masked rows); too many zeros beyond the
/// forced ones. `area` is visible_area() of the case; `tensor` names the tensor in the reason ("lse" allows -inf).
Trust judge(std::string_view tensor, const TensorMetrics& metrics, const VisibleArea& area);

/// The field's own rule (FlashAttention's tests): the largest error is at most twice that of a plain low-precision run
/// plus twice the rounding floor. Stored beside bound_ratio; it decides nothing.
struct FieldRule
{
  double max_abs_err = 0;
  double plain_max_abs_err = 0;  ///< of attention_plain
  double floor = 0;              ///< 2 max |(x + 0.3) - 0.3 - x|, x the oracle rounded, sums rounded to the dtype
  double ratio = 0;              ///< max_abs_err / (2 plain_max_abs_err + floor); at most 1 satisfies the rule
};
FieldRule field_rule(const Tensor<double>& actual, const Tensor<double>& plain, const Tensor<double>& expected,
                     Dtype dtype);

}  // namespace flashgate::reference
