#include "matrix/execution_explanation.h"

#include <fmt/format.h>

#include "reference/half.h"

namespace flashgate::matrix {
namespace {

/// Query rows of the group of key/value head `head_kv` that see key j.
int rows_that_see(const ExecutionOracle& oracle, int b, int head_kv, int j)
{
  const int group = reference::group_size(oracle.problem);
  int rows = 0;
  for (int h = head_kv * group; h < (head_kv + 1) * group; ++h)
    for (int i = 0; i < oracle.problem.seqlen_q; ++i)
      rows += reference::masked(oracle.problem, {oracle.mask}, b, h, i, j) ? 0 : 1;
  return rows;
}

std::string bound_in_words(const ExecutionOracle& oracle, const ExpectedTensor& expected, int visible)
{
  if (visible == 0) return "nothing is visible here, so the result is exact and the bound 0";
  const bool is_lse = expected.format == reference::Format::fp32;
  std::string words = fmt::format("fp32 sums over {} visible {} in any order, {} rounded to {} with u = {}", visible,
                                  expected.tensor.key_rows ? "rows" : "keys", is_lse ? "LSE" : "P, dS and the result",
                                  is_lse ? "fp32" : reference::name(oracle.problem.dtype),
                                  is_lse ? 0x1p-24 : reference::unit_roundoff(oracle.problem.dtype));
  if (expected.tensor.key_rows && oracle.bound_options.partial_roundings > 0)
    words += fmt::format(", partial sums of {} part(s) rounded {} time(s)", oracle.bound_options.partial_sums,
                         oracle.bound_options.partial_roundings);
  return words + "; docs/tolerances.md derives it";
}

WorstElement explain_tensor(const ExecutionOracle& oracle, const ExpectedTensor& expected, const TensorResult& result)
{
  const reference::TensorMetrics& metrics = result.metrics;
  const reference::ElementIndex& at = metrics.worst;
  const int visible = expected.tensor.key_rows
                          ? rows_that_see(oracle, at.b, at.h, at.s)
                          : reference::visible_keys(oracle.problem, {oracle.mask}, at.b, at.h, at.s);
  return {result.tensor,
          at,
          metrics.worst_actual,
          metrics.worst_expected,
          metrics.worst_bound,
          metrics.bound_ratio,
          at.s / reference::kTile,
          visible,
          bound_in_words(oracle, expected, visible)};
}

}  // namespace

ExecutionExplanation explain_execution(const NumericsCase& numerics, const Backend& backend)
{
  ExecutionExplanation explanation;
  explanation.fill_reason =
      reference::fill_row(static_cast<reference::Fill>(number_of(numerics, NumericsAxisId::fill))).reason;
  explanation.problem = to_problem(numerics);
  if (!excluded_by(numerics).empty()) {
    explanation.result = execute(numerics, backend);
    return explanation;
  }
  const ExecutionOracle oracle = make_oracle(numerics);
  explanation.result = execute(oracle, backend);
  explanation.area = oracle.area;
  for (std::size_t n = 0; n < explanation.result.tensors.size(); ++n)
    explanation.worst.push_back(explain_tensor(oracle, oracle.tensors[n], explanation.result.tensors[n]));
  return explanation;
}

}  // namespace flashgate::matrix
