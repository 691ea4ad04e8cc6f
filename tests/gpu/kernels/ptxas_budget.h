#pragma once

#include <string>
#include <vector>

#include "gpu/kernels/ptxas_report.h"

namespace flashgate::gpu::kernels {

/// Most registers that a kernel may take on any target, whatever the dtype. None may spill.
struct RegisterBudget
{
  std::string kernel;  ///< "v2_forward_d64": the entry without its dtype
  int registers;
};

/// A row for every kernel that is built.
std::vector<RegisterBudget> register_budgets();

/// The targets that L0 is measured for.
std::vector<std::string> ptxas_targets();

/// What is over budget, unknown to it, or missing; a line each.
std::vector<std::string> budget_complaints(const std::vector<PtxasFigures>& figures,
                                           const std::vector<RegisterBudget>& budgets);

}  // namespace flashgate::gpu::kernels
