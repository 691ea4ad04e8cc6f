#include "tests/issues/kernels/kernel_cell.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace flashgate::gpu::kernels {

using reference::Tensor;

Tensor<double> cell_tensor(int heads, int rows) { return {1, heads, rows, kCellHeadDim}; }

Tensor<double> cell_column(const std::vector<double>& values)
{
  Tensor<double> tensor = cell_tensor(1, static_cast<int>(values.size()));
  for (int i = 0; i < tensor.seq(); ++i)
    tensor(0, 0, i, 0) = values[static_cast<std::size_t>(i)];
  return tensor;
}

reference::Problem cell_problem(int seqlen_q, int seqlen_k)
{
  reference::Problem problem;
  problem.seqlen_q = seqlen_q;
  problem.seqlen_k = seqlen_k;
  problem.head_dim = kCellHeadDim;
  problem.head_dim_v = kCellHeadDim;
  return problem;
}

reference::AttentionInputs uniform_scores(int seqlen_q, const std::vector<double>& v)
{
  const int seqlen_k = static_cast<int>(v.size());
  return {cell_tensor(1, seqlen_q), cell_tensor(1, seqlen_k), cell_column(v),
          cell_column(std::vector<double>(static_cast<std::size_t>(seqlen_q), 1.0))};
}

reference::ColumnMask cell_mask(int bounds_per_column, const std::vector<int>& rows)
{
  const int seqlen_k = static_cast<int>(rows.size()) / bounds_per_column;
  return {1, 1, seqlen_k, bounds_per_column, rows};
}

std::vector<double> printed(const Tensor<double>& tensor, int head)
{
  constexpr double kDigits = 1e4;
  std::vector<double> values;
  for (int i = 0; i < tensor.seq(); ++i)
    values.push_back(std::round(tensor(0, head, i, 0) * kDigits) / kDigits);
  return values;
}

attention::KernelLibrary kernels_with(const std::string& fault)
{
  attention::KernelLibrary library = built_kernels();
  if (fault.empty()) return library;
  int replaced = 0;
  for (auto& [name, text] : library) {
    std::ifstream in(fmt::format("{}/{}/{}.ptx", FLASHGATE_FAULTS, fault, name), std::ios::binary);
    if (!in) continue;
    text.assign(std::istreambuf_iterator<char>(in), {});
    ++replaced;
  }
  REQUIRE(replaced > 0);
  return library;
}

KernelResult run_cell(const JudgedCase& cell, Family family, const std::string& fault, const LaunchOptions& options)
{
  const attention::KernelLibrary library = kernels_with(fault);
  KernelRunner runner(library);
  LaunchOptions with_family = options;
  with_family.family = family;
  return runner.run(cell.problem, cell.mask, cell.inputs, with_family, true);
}

bool is_right(const JudgedCase& cell, const KernelResult& result)
{
  return result.complaints.empty() && backward_ratio(cell, result) <= 1.0;
}

bool complains(const KernelResult& result, const std::vector<std::string>& words)
{
  return std::ranges::any_of(result.complaints, [&](const std::string& complaint) {
    return std::ranges::all_of(words,
                               [&](const std::string& word) { return complaint.find(word) != std::string::npos; });
  });
}

}  // namespace flashgate::gpu::kernels
