#pragma once

#include <string_view>
#include <vector>

#include "matrix/backend.h"
#include "matrix/numerics_case.h"
#include "reference/compare.h"
#include "reference/mask_expand.h"

namespace flashgate::matrix {

/// A tensor of an execution's outputs.
struct JudgedTensor
{
  std::string_view name;            ///< as stored: O, LSE, dQ, dK, dV
  std::string_view reference_name;  ///< as reference::judge() knows it: o, lse, dq, dk, dv
  bool key_rows;                    ///< rows are keys (dK, dV), not query rows
  const reference::Tensor<double>& (*of)(const KernelOutputs&);
};

/// O and LSE of a forward case; dQ, dK and dV of a backward one.
const std::vector<JudgedTensor>& judged_tensors(const NumericsCase& numerics);

/// What the oracle says about one tensor.
struct ExpectedTensor
{
  JudgedTensor tensor;
  reference::Format format;
  reference::Tensor<double> value;
  reference::Tensor<double> bound;  ///< per element, absolute
  reference::Tensor<double> plain;  ///< of a plain low-precision run, for the field's rule; empty for LSE
  double forced_zero_share = 0;     ///< elements that are zero whatever the inputs hold, of all
};

/// Everything about a case that does not depend on who runs it. Owns what a KernelCall points to, so it must outlive
/// the calls made from it.
struct ExecutionOracle
{
  NumericsCase numerics;
  reference::Problem problem;
  reference::ColumnMask mask;
  reference::AttentionInputs inputs;
  reference::VisibleArea area;
  reference::BoundOptions bound_options;
  std::vector<ExpectedTensor> tensors;

  KernelCall call() const { return {numerics, problem, mask, inputs}; }
};

/// Builds inputs, runs the oracle in double and derives the bounds, on this thread. A pure function of the case.
/// REQUIRES: the constraints allow it.
ExecutionOracle make_oracle(const NumericsCase& numerics);

/// Outputs of the problem's shapes, every element kUnwritten.
KernelOutputs poisoned_outputs(const NumericsCase& numerics, const reference::Problem& problem);

/// Elements of dK and dV, and rows of dQ, whose value the mask alone decides: shares of all keys and rows.
struct ForcedShares
{
  double masked_rows = 0;  ///< rows that see no key: O, dQ
  double lonely_rows = 0;  ///< rows that see at most one key: dQ, because then dS = P (dP - delta) is zero
  double hidden_keys = 0;  ///< keys that no row of the group sees: dK, dV
  double lonely_keys = 0;  ///< keys that lonely rows alone see, or none: dK
};
ForcedShares forced_shares(const reference::Problem& problem, const reference::ColumnMask& mask);

}  // namespace flashgate::matrix
