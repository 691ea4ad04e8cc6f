#pragma once

#include "matrix/backend.h"
#include "reference/attention_rounded.h"

namespace flashgate::matrix {

/// The oracle's formulas, rounded step by step as a kernel of the case's generation rounds, on one thread. It stands in
/// for every kernel until that kernel exists, under its own name and with evidence `none`: it proves that the harness
/// works, nothing about a kernel. Context-parallel cases run on simulated ranks that gather K and V and reduce-scatter
/// dK and dV, zigzag layout.
class ReferenceBackend : public Backend
{
 public:
  std::string name() const override { return "reference-rounded"; }
  std::string_view evidence() const override { return "none"; }
  std::string kernel_hash(const NumericsCase&) const override { return ""; }
  std::string refusal(const NumericsCase&) const override { return ""; }
  void run(const KernelCall& call, KernelOutputs& outputs) const override;
};

/// Rounding of the kernel generation of a case.
reference::RoundedOptions rounding_of(const NumericsCase& numerics);

/// What ReferenceBackend runs, with other options or another problem than the case's own.
void run_rounded(const KernelCall& call, const reference::RoundedOptions& options, KernelOutputs& outputs);

}  // namespace flashgate::matrix
