#include "reference/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/error.h"
#include "reference/half.h"

namespace flashgate::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

/// Position of a float on the number line, both zeros at 0.
std::int64_t float_ordinal(double value)
{
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::int64_t magnitude = bits & 0x7FFFFFFFU;
  return bits >> 31 != 0 ? -magnitude : magnitude;
}

/// Distance in the format of the tensor; kFar where only one side is finite or a number.
std::int64_t ulps(Format format, double a, double b)
{
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : kFar;
  if (std::isfinite(a) != std::isfinite(b)) return kFar;
  if (format == Format::fp32) return std::abs(float_ordinal(a) - float_ordinal(b));
  return ulp_distance(format == Format::bf16 ? Dtype::bf16 : Dtype::fp16, a, b);
}

std::size_t bucket_of(std::int64_t distance)
{
  const auto bucket = std::lower_bound(kUlpBucketEnds.begin(), kUlpBucketEnds.end(), distance);
  return static_cast<std::size_t>(bucket - kUlpBucketEnds.begin());
}

/// error / bound under the rules of compare().
double ratio_of(double actual, double expected, double bound)
{
  if (std::isnan(expected)) return std::isnan(actual) ? 0.0 : kInfinity;
  if (actual == expected) return 0.0;
  if (!std::isfinite(actual) || !std::isfinite(expected)) return kInfinity;
  const double error = std::fabs(actual - expected);
  return bound > 0 ? error / bound : kInfinity;
}

/// Absolute and relative maxima. Non-finite elements are bound_ratio's business: they have no size.
void count_errors(double actual, double expected, TensorMetrics& metrics)
{
  if (!std::isfinite(actual) || !std::isfinite(expected)) return;
  const double error = std::fabs(actual - expected);
  metrics.max_abs_err = std::max(metrics.max_abs_err, error);
  if (expected != 0) metrics.max_rel_err = std::max(metrics.max_rel_err, error / std::fabs(expected));
}

/// Everything one element adds to the metrics. The first element is the worst until another is worse.
void count_element(const ElementIndex& at, double actual, double expected, double bound, Format format,
                   TensorMetrics& metrics)
{
  const double ratio = ratio_of(actual, expected, bound);
  count_errors(actual, expected, metrics);
  metrics.ulp_histogram[bucket_of(ulps(format, actual, expected))] += 1;
  metrics.nonfinite_count += std::isfinite(actual) ? 0 : 1;
  metrics.nonfinite_expected += std::isfinite(expected) ? 0 : 1;
  metrics.failures += ratio > 1 ? 1 : 0;
  metrics.zero_share += expected == 0 ? 1 : 0;  // a count until compare() divides
  if (ratio > metrics.bound_ratio || metrics.elements == 0) {
    metrics.bound_ratio = ratio;
    metrics.worst = at;
    metrics.worst_actual = actual;
    metrics.worst_expected = expected;
    metrics.worst_bound = bound;
  }
  metrics.elements += 1;
}

/// Largest absolute difference over finite elements of the rows of `expected`.
double max_error(const Tensor<double>& actual, const Tensor<double>& expected)
{
  double largest = 0;
  for (int b = 0; b < expected.batch(); ++b) {
    for (int h = 0; h < expected.heads(); ++h) {
      const auto rows = actual.head(b, h).topRows(expected.seq());
      for (int s = 0; s < expected.seq(); ++s) {
        for (int d = 0; d < expected.dim(); ++d) {
          const double error = std::fabs(rows(s, d) - expected(b, h, s, d));
          if (std::isfinite(error)) largest = std::max(largest, error);
        }
      }
    }
  }
  return largest;
}

/// What a shift by a number of ordinary size and back costs in the dtype, twice.
double rounding_floor(const Tensor<double>& expected, Dtype dtype)
{
  // The constant is the field's: 0.3 has the binade in which errors of a softmax average usually live.
  constexpr double kShift = 0.3;
  double largest = 0;
  for (const double value : expected) {
    if (!std::isfinite(value)) continue;
    const double x = round_to(dtype, value);
    const double there_and_back = round_to(dtype, round_to(dtype, x + kShift) - kShift);
    largest = std::max(largest, std::fabs(there_and_back - x));
  }
  return 2 * largest;
}

}  // namespace

Format format_of(Dtype dtype) { return dtype == Dtype::bf16 ? Format::bf16 : Format::fp16; }

TensorMetrics compare(const Tensor<double>& actual, const Tensor<double>& expected, const Tensor<double>& bound,
                      Format format)
{
  const bool fits = actual.batch() == expected.batch() && actual.heads() == expected.heads() &&
                    actual.seq() >= expected.seq() && actual.dim() == expected.dim() && bound.same_shape(expected);
  if (!fits) throw Error("compare: the tensors have different shapes");
  TensorMetrics metrics;
  for (int b = 0; b < expected.batch(); ++b) {
    for (int h = 0; h < expected.heads(); ++h) {
      for (int s = 0; s < expected.seq(); ++s) {
        for (int d = 0; d < expected.dim(); ++d) {
          count_element({b, h, s, d}, actual(b, h, s, d), expected(b, h, s, d), bound(b, h, s, d), format, metrics);
        }
      }
    }
  }
  if (metrics.elements > 0) metrics.zero_share /= static_cast<double>(metrics.elements);
  return metrics;
}

Tensor<double> as_tensor(const std::vector<double>& per_head)
{
  Tensor<double> tensor(1, static_cast<int>(per_head.size()), 1, 1);
  std::copy(per_head.begin(), per_head.end(), tensor.begin());
  return tensor;
}

Trust judge(std::string_view tensor, const TensorMetrics& metrics, const VisibleArea& area)
{
  const std::string prefix = std::string(tensor) + ": ";
  if (area.elements == 0) return {true, prefix + "every element is masked"};
  const double masked_share = static_cast<double>(area.masked_rows) / static_cast<double>(area.total_rows);
  const bool is_lse = tensor == "lse";
  const std::int64_t allowed = is_lse ? area.masked_rows : 0;
  if (metrics.nonfinite_expected > allowed) {
    return {true, prefix + std::to_string(metrics.nonfinite_expected) + " elements of the oracle are not finite"};
  }
  // Rows without a key force zeros in O and dQ only; for the others all zeros count as the data's.
  const double forced = tensor == "o" || tensor == "dq" ? masked_share : 0.0;
  const double free_share = forced < 1 ? (metrics.zero_share - forced) / (1 - forced) : 1.0;
  if (!is_lse && free_share > kMaxZeroShare) {
    return {true,
            prefix + std::to_string(std::lround(100 * free_share)) + " % of the elements that could differ are zero"};
  }
  return {};
}

FieldRule field_rule(const Tensor<double>& actual, const Tensor<double>& plain, const Tensor<double>& expected,
                     Dtype dtype)
{
  FieldRule rule{max_error(actual, expected), max_error(plain, expected), rounding_floor(expected, dtype), 0};
  const double allowed = 2 * rule.plain_max_abs_err + rule.floor;
  rule.ratio = rule.max_abs_err == 0 ? 0.0 : rule.max_abs_err / allowed;
  return rule;
}

}  // namespace flashgate::reference
