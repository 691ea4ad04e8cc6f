#pragma once

#include <string>
#include <vector>

#include "matrix/execution.h"

namespace flashgate::matrix {

/// The checks of executions, one function each; execution.cpp calls them. Pure. `outputs` is what the backend left in
/// poisoned outputs.

/// Judges one tensor by unwritten, nonfinite (masked_nan where the fill has NaN at masked keys), lse_layout, numerics
/// and trust, appends what they find, and returns its metrics. An element is blamed on the first check that explains
/// it, so that one fault is not reported under three names.
TensorResult judge_tensor(const ExecutionOracle& oracle, const ExpectedTensor& expected, const KernelOutputs& outputs,
                          std::vector<ExecutionFinding>& findings);

/// True if two runs must give equal bits in this tensor: forward always; backward in deterministic mode, and dK and dV
/// without query groups in any mode, because nothing else then adds to them in an order that may vary.
bool promises_bits(const NumericsCase& numerics, std::string_view tensor);

/// Compares two runs where they must be equal.
void judge_bits(const ExecutionOracle& oracle, const KernelOutputs& first, const KernelOutputs& second,
                std::vector<ExecutionFinding>& findings);

/// "[0, 1, 64, 3]".
std::string index_text(const reference::ElementIndex& index);

}  // namespace flashgate::matrix
