#pragma once

#include <string>

#include "reference/attention.h"
#include "reference/error_bound.h"
#include "reference/mask_families.h"
#include "tests/gpu/kernels/kernel_run.h"

namespace flashgate::gpu::kernels {

/// A row of the tests' tables.
struct KernelCase
{
  reference::Family family = reference::Family::full;
  reference::Encoding encoding{false, 0};
  int seqlen_q = 64;
  int seqlen_k = 64;
  int head_dim = 64;
  int head_dim_v = 64;
  int num_heads = 1;
  int num_heads_kv = 1;
  int mask_heads = 1;
  int batch = 1;
  reference::Causal corner = reference::Causal::top_left;  ///< where the encoding is causal
  reference::Dtype dtype = reference::Dtype::bf16;
};

/// A case with its inputs (padding is NaN), what the oracle says about it, and how far from it a right kernel may be.
struct JudgedCase
{
  std::string name;
  reference::Problem problem;
  reference::ColumnMask mask;
  reference::AttentionInputs inputs;
  reference::AttentionOutputs outputs;
  reference::AttentionGradients gradients;
  reference::ForwardBound forward_bound;
  reference::BackwardBound backward_bound;
};
JudgedCase judge_case(const KernelCase& kernel_case);

/// The numbers of a case; the same with a mask of one's own; and with inputs of one's own.
reference::Problem problem_of(const KernelCase& kernel_case);
JudgedCase judge_problem(const std::string& name, const reference::Problem& problem, const reference::ColumnMask& mask);
JudgedCase judge_inputs(std::string name, const reference::Problem& problem, reference::ColumnMask mask,
                        reference::AttentionInputs inputs);

/// Largest error / bound of O and LSE / of all of them: at most 1 for a right kernel.
double forward_ratio(const JudgedCase& judged, const KernelResult& result);
double backward_ratio(const JudgedCase& judged, const KernelResult& result);

}  // namespace flashgate::gpu::kernels
