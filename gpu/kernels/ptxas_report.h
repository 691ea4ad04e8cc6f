#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flashgate::gpu::kernels {

/// What ptxas said of a kernel when it assembled it for a target: evidence level L0.
struct PtxasFigures
{
  std::string entry;   ///< "v2_forward_bf16_d64"
  std::string target;  ///< "sm_80"
  int registers = 0;   ///< per thread
  int stack_bytes = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int shared_bytes = 0;  ///< static; what is sized at launch is not in it

  bool operator==(const PtxasFigures&) const = default;
};

/// The figures in the output of one or many `ptxas -v`, in its order. Throws Error, naming `file` and the line, for a
/// kernel whose figures are missing, as nothing may pass for lack of them; an output without kernels gives none.
std::vector<PtxasFigures> parse_ptxas_report(std::string_view text, const std::string& file);

/// The figures of all our kernels, from the folder of their PTX (FLASHGATE_KERNEL_FOLDER); none, and one line in
/// `why_not`, where they were not made, for lack of ptxas as a rule.
std::vector<PtxasFigures> read_ptxas_report(const std::string& folder, std::string& why_not);

}  // namespace flashgate::gpu::kernels
