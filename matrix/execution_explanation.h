#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "matrix/execution.h"

namespace flashgate::matrix {

/// The element of a tensor that comes closest to its bound, or lies farthest beyond it, and what it depends on.
struct WorstElement
{
  std::string_view tensor;
  reference::ElementIndex index;
  double actual = 0;
  double expected = 0;
  double bound = 0;        ///< largest error of a correct kernel, absolute
  double bound_ratio = 0;  ///< error / bound
  int tile = 0;            ///< 64-row tile of the oracle that the element lies in: of queries, or of keys for dK and dV
  int visible = 0;         ///< keys that its row sees; for dK and dV query rows of the whole group that see its key
  std::string why;         ///< one sentence: what the bound is made of
};

/// All that explains the judgement of an execution. `result.tensors` has the metrics, `result.findings` the checks.
struct ExecutionExplanation
{
  ExecutionResult result;
  reference::Problem problem;
  reference::VisibleArea area;
  std::string_view fill_reason;     ///< why the inputs are as they are
  std::vector<WorstElement> worst;  ///< one per judged tensor; empty if nothing ran
};

/// Executes the case as execute() does, and explains. Pure but for result.seconds.
ExecutionExplanation explain_execution(const NumericsCase& numerics, const Backend& backend);

}  // namespace flashgate::matrix
