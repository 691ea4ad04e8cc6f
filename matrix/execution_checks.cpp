#include "matrix/execution_checks.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "reference/compare.h"

namespace flashgate::matrix {
namespace {

using reference::ElementIndex;
using reference::Tensor;

void for_each_element(const Tensor<double>& tensor, const auto& visit)
{
  for (int b = 0; b < tensor.batch(); ++b)
    for (int h = 0; h < tensor.heads(); ++h)
      for (int s = 0; s < tensor.seq(); ++s)
        for (int d = 0; d < tensor.dim(); ++d)
          visit(ElementIndex{b, h, s, d});
}

double at(const Tensor<double>& tensor, const ElementIndex& e) { return tensor(e.b, e.h, e.s, e.d); }
double& at(Tensor<double>& tensor, const ElementIndex& e) { return tensor(e.b, e.h, e.s, e.d); }

/// Elements that one check is to blame for.
struct Blamed
{
  std::int64_t count = 0;
  ElementIndex first;
  double actual = 0;
  double expected = 0;
};

/// Finds the elements that `is_bad(actual, expected)` holds for, and hides them from later checks by making them right.
Blamed blame(const Tensor<double>& expected, Tensor<double>& actual, const auto& is_bad)
{
  Blamed blamed;
  for_each_element(expected, [&](const ElementIndex& e) {
    if (!is_bad(at(actual, e), at(expected, e))) return;
    if (blamed.count++ == 0) {
      blamed.first = e;
      blamed.actual = at(actual, e);
      blamed.expected = at(expected, e);
    }
    at(actual, e) = at(expected, e);
  });
  return blamed;
}

bool has_masked_nan(const NumericsCase& numerics)
{
  return number_of(numerics, NumericsAxisId::fill) == static_cast<int>(reference::Fill::masked_nan);
}

void check_unwritten(const ExpectedTensor& expected, Tensor<double>& actual, std::vector<ExecutionFinding>& findings)
{
  const Blamed blamed = blame(expected.value, actual, [](double value, double) { return is_unwritten(value); });
  if (blamed.count > 0)
    findings.push_back({"unwritten", Verdict::fail,
                        fmt::format("{}: {} elements never written, the first is {}", expected.tensor.name,
                                    blamed.count, index_text(blamed.first))});
}

/// LSE of fully masked rows: a sign or a number there is a matter of convention, and says nothing about numerics.
void check_empty_rows(const ExpectedTensor& expected, Tensor<double>& actual, std::vector<ExecutionFinding>& findings)
{
  const Blamed blamed = blame(expected.value, actual, [](double value, double wanted) {
    return std::isinf(wanted) && !std::isnan(value) && value != wanted;
  });
  if (blamed.count > 0)
    findings.push_back({"lse_layout", Verdict::fail,
                        fmt::format("LSE: {} fully masked rows are not -inf, {} is {}", blamed.count,
                                    index_text(blamed.first), blamed.actual)});
}

void check_nonfinite(const NumericsCase& numerics, const ExpectedTensor& expected, Tensor<double>& actual,
                     std::vector<ExecutionFinding>& findings)
{
  const Blamed blamed = blame(expected.value, actual, [](double value, double wanted) {
    return !std::isfinite(value) && value != wanted && !std::isnan(wanted);
  });
  if (blamed.count == 0) return;
  const bool excused = has_masked_nan(numerics);
  findings.push_back(
      {excused ? "masked_nan" : "nonfinite", excused ? Verdict::warn : Verdict::fail,
       fmt::format("{}: {} elements are not finite and should be, {} is {} instead of {}", expected.tensor.name,
                   blamed.count, index_text(blamed.first), blamed.actual, blamed.expected)});
}

/// True if `map` takes every finite element of the oracle's to within its bound of what came out.
bool explains(const ExpectedTensor& expected, const Tensor<double>& actual, const auto& map)
{
  bool holds = true;
  for_each_element(expected.value, [&](const ElementIndex& e) {
    if (!std::isfinite(at(expected.value, e))) return;
    holds = holds && std::fabs(map(e, at(actual, e)) - at(expected.value, e)) <= at(expected.bound, e);
  });
  return holds;
}

/// Names the convention an LSE follows that is not ours; empty if none is known that explains it.
std::string_view foreign_layout(const ExpectedTensor& expected, const Tensor<double>& actual)
{
  const Tensor<double>& lse = expected.value;
  const auto from_base_2 = [](const ElementIndex&, double value) { return value * std::numbers::ln2; };
  if (explains(expected, actual, from_base_2)) return "in base 2, expected the natural logarithm";
  const auto from_bsh = [&](const ElementIndex& e, double) {
    const std::size_t row = static_cast<std::size_t>(e.b) * lse.seq() + static_cast<std::size_t>(e.s);
    return actual.data()[row * static_cast<std::size_t>(lse.heads()) + static_cast<std::size_t>(e.h)];
  };
  if (explains(expected, actual, from_bsh))
    return "laid out [batch, seqlen_q, heads], expected [batch, heads, seqlen_q]";
  return "";
}

void check_numerics(const ExpectedTensor& expected, const Tensor<double>& actual,
                    std::vector<ExecutionFinding>& findings)
{
  const auto metrics = reference::compare(actual, expected.value, expected.bound, expected.format);
  if (metrics.bound_ratio <= 1) return;
  if (expected.tensor.name == "LSE") {
    const std::string_view layout = foreign_layout(expected, actual);
    if (!layout.empty()) {
      findings.push_back({"lse_layout", Verdict::fail, fmt::format("LSE is {}", layout)});
      return;
    }
  }
  findings.push_back(
      {"numerics", Verdict::fail,
       fmt::format("{}: {} of {} elements beyond their bound, worst {} is {:.6g} instead of {:.6g}, {:.3g} x the bound",
                   expected.tensor.name, metrics.failures, metrics.elements, index_text(metrics.worst),
                   metrics.worst_actual, metrics.worst_expected, metrics.bound_ratio)});
}

/// Zeros that the mask alone forces say nothing about the data, so they do not count against it. A tensor of nothing
/// but those is not asked.
void check_trust(const ExecutionOracle& oracle, const ExpectedTensor& expected, reference::TensorMetrics metrics,
                 std::vector<ExecutionFinding>& findings)
{
  if (expected.forced_zero_share >= 1) return;
  const bool is_lse = expected.tensor.name == "LSE";
  if (!is_lse)
    metrics.zero_share = (metrics.zero_share - expected.forced_zero_share) / (1 - expected.forced_zero_share);
  reference::VisibleArea area = oracle.area;
  if (!is_lse) area.masked_rows = 0;  // already taken out
  const reference::Trust trust = reference::judge(expected.tensor.reference_name, metrics, area);
  if (trust.mistrusted) findings.push_back({"trust", Verdict::mistrusted, trust.reason});
}

}  // namespace

std::string index_text(const ElementIndex& index)
{
  return fmt::format("[{}, {}, {}, {}]", index.b, index.h, index.s, index.d);
}

TensorResult judge_tensor(const ExecutionOracle& oracle, const ExpectedTensor& expected, const KernelOutputs& outputs,
                          std::vector<ExecutionFinding>& findings)
{
  Tensor<double> actual = expected.tensor.of(outputs);
  TensorResult result{
      expected.tensor.name, reference::compare(actual, expected.value, expected.bound, expected.format), {}};
  if (expected.plain.size() > 0)
    result.field_rule_ratio = reference::field_rule(actual, expected.plain, expected.value, oracle.problem.dtype).ratio;
  check_unwritten(expected, actual, findings);
  if (expected.tensor.name == "LSE") check_empty_rows(expected, actual, findings);
  check_nonfinite(oracle.numerics, expected, actual, findings);
  check_numerics(expected, actual, findings);
  check_trust(oracle, expected, result.metrics, findings);
  return result;
}

bool promises_bits(const NumericsCase& numerics, std::string_view tensor)
{
  if (!is_backward(numerics) || numerics[NumericsAxisId::deterministic] != 0) return true;
  const AxisValue& heads = value_of(numerics, NumericsAxisId::heads);
  return tensor != "dQ" && heads.number == heads.second;
}

void judge_bits(const ExecutionOracle& oracle, const KernelOutputs& first, const KernelOutputs& second,
                std::vector<ExecutionFinding>& findings)
{
  for (const JudgedTensor& tensor : judged_tensors(oracle.numerics)) {
    if (!promises_bits(oracle.numerics, tensor.name)) continue;
    Tensor<double> again = tensor.of(second);
    const Blamed blamed = blame(tensor.of(first), again, [](double value, double wanted) {
      return std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(wanted);
    });
    if (blamed.count > 0)
      findings.push_back({"bitwise", Verdict::fail,
                          fmt::format("{}: {} elements differ between two runs, {} is {:.17g} and {:.17g}", tensor.name,
                                      blamed.count, index_text(blamed.first), blamed.expected, blamed.actual)});
  }
}

}  // namespace flashgate::matrix
