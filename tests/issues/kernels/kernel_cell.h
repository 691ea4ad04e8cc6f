#pragma once

#include <string>
#include <vector>

#include "tests/gpu/kernels/judged_case.h"

namespace flashgate::gpu::kernels {

/// Bug reports count in single numbers: every tensor is a column of them. Kernels get kCellHeadDim components, all but
/// the first zero, and scale 1.
inline constexpr int kCellHeadDim = 8;

/// An empty tensor of the cells: [1, heads, rows, kCellHeadDim].
reference::Tensor<double> cell_tensor(int heads, int rows);

/// The column, as the one head of a tensor.
reference::Tensor<double> cell_column(const std::vector<double>& values);

/// bf16, one head, no causal mask; lengths may be shorter than the tensors.
reference::Problem cell_problem(int seqlen_q, int seqlen_k);

/// Q = K = 0, so that P is uniform, and dO = 1.
reference::AttentionInputs uniform_scores(int seqlen_q, const std::vector<double>& v);

/// A column mask of one head: `bounds_per_column` rows for each key.
reference::ColumnMask cell_mask(int bounds_per_column, const std::vector<int>& rows);

/// The first components of a head's rows, rounded to 4 digits: what reports print.
std::vector<double> printed(const reference::Tensor<double>& tensor, int head = 0);

/// Our kernels, but for those that CMakeLists.txt made with the fault; empty: none.
attention::KernelLibrary kernels_with(const std::string& fault);

/// Forward and backward on kernels_with(fault).
KernelResult run_cell(const JudgedCase& cell, Family family, const std::string& fault = {},
                      const LaunchOptions& options = {});

/// No complaint, and O, LSE and all gradients within the oracle's bounds.
bool is_right(const JudgedCase& cell, const KernelResult& result);

/// True if one of the complaints has all of `words`, and there is one.
bool complains(const KernelResult& result, const std::vector<std::string>& words);

}  // namespace flashgate::gpu::kernels
