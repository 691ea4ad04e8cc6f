#include "tests/gpu/kernels/ptxas_budget.h"

#include <map>

#include <fmt/format.h>

namespace flashgate::gpu::kernels {
namespace {

/// "v2_forward_d64" of "v2_forward_bf16_d64".
std::string kernel_of(std::string entry)
{
  for (const std::string dtype : {"_bf16", "_fp16"})
    if (const std::size_t at = entry.find(dtype); at != std::string::npos) entry.erase(at, dtype.size());
  return entry;
}

void check_figures(const PtxasFigures& f, const RegisterBudget& budget, std::vector<std::string>& complaints)
{
  if (f.spill_store_bytes != 0 || f.spill_load_bytes != 0)
    complaints.push_back(fmt::format("{} on {} spills: {} bytes stored, {} loaded", f.entry, f.target,
                                     f.spill_store_bytes, f.spill_load_bytes));
  if (f.registers > budget.registers)
    complaints.push_back(
        fmt::format("{} on {} takes {} registers, its budget is {}", f.entry, f.target, f.registers, budget.registers));
}

}  // namespace

std::vector<RegisterBudget> register_budgets()
{
  // What was measured with CUDA 13.0, rounded up to the 8 that registers are given out by.
  return {
      {"flashmask_tile_bounds", 40},     {"attention_delta", 48},
      {"attention_store_dq", 24},        {"naive_forward", 40},
      {"naive_backward_queries", 48},    {"naive_backward_keys", 56},
      {"v2_forward_d32", 128},           {"v2_forward_d64", 160},
      {"v2_forward_d96", 160},           {"v2_forward_d128", 192},
      {"v2_forward_d160", 208},          {"v2_forward_d192", 224},
      {"v2_forward_d256", 248},          {"v2_backward_keys_d32", 136},
      {"v2_backward_keys_d64", 168},     {"v2_backward_keys_d96", 152},
      {"v2_backward_keys_d128", 168},    {"v2_backward_keys_d160", 176},
      {"v2_backward_keys_d192", 184},    {"v2_backward_keys_d256", 216},
      {"v2_backward_queries_d32", 144},  {"v2_backward_queries_d64", 168},
      {"v2_backward_queries_d96", 128},  {"v2_backward_queries_d128", 128},
      {"v2_backward_queries_d160", 128}, {"v2_backward_queries_d192", 128},
      {"v2_backward_queries_d256", 176}, {"v2_backward_atomic_d32", 128},
      {"v2_backward_atomic_d64", 176},   {"v2_backward_atomic_d96", 160},
      {"v2_backward_atomic_d128", 208},  {"v2_backward_atomic_d160", 200},
      {"v2_backward_atomic_d192", 216},  {"v2_backward_atomic_d256", 248},
  };
}

std::vector<std::string> ptxas_targets() { return {"sm_80", "sm_90a", "sm_100a"}; }

std::vector<std::string> budget_complaints(const std::vector<PtxasFigures>& figures,
                                           const std::vector<RegisterBudget>& budgets)
{
  std::map<std::string, const RegisterBudget*> budget_of;
  for (const RegisterBudget& budget : budgets)
    budget_of[budget.kernel] = &budget;
  std::vector<std::string> complaints;
  std::map<std::string, int> seen;
  for (const PtxasFigures& f : figures) {
    const std::string kernel = kernel_of(f.entry);
    ++seen[kernel + " on " + f.target];
    if (const auto known = budget_of.find(kernel); known != budget_of.end())
      check_figures(f, *known->second, complaints);
    else
      complaints.push_back(f.entry + " has no budget");
  }
  for (const RegisterBudget& budget : budgets)
    for (const std::string& target : ptxas_targets())
      if (!seen.contains(budget.kernel + " on " + target))
        complaints.push_back(fmt::format("{} was not assembled for {}", budget.kernel, target));
  return complaints;
}

}  // namespace flashgate::gpu::kernels
