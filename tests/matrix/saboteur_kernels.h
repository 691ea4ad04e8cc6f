#pragma once

#include <span>
#include <string>
#include <string_view>

#include "matrix/reference_backend.h"

namespace flashgate::matrix {

/// A kernel that does one thing wrong, and the check that must catch it.
struct SaboteurKernelRow
{
  std::string_view name;
  std::string_view fault;  ///< what it does wrong
  std::string_view check;  ///< by which check it is caught
  void (*run)(const KernelCall&, KernelOutputs&);
};
std::span<const SaboteurKernelRow> saboteur_kernels();

class SaboteurKernel : public ReferenceBackend
{
 public:
  explicit SaboteurKernel(const SaboteurKernelRow& row) : row_(row) {}

  std::string name() const override { return std::string(row_.name); }
  void run(const KernelCall& call, KernelOutputs& outputs) const override { row_.run(call, outputs); }

 private:
  const SaboteurKernelRow& row_;
};

}  // namespace flashgate::matrix
