#include "app/backends/external_backend.h"

#include "app/backends/emulated_backend.h"
#include "app/backends/kernel_map_file.h"
#include "gpu/external/external_kernels.h"

namespace flashgate::app {
namespace {

using gpu::external::ExternalKernels;
using gpu::external::KernelMap;
using gpu::kernels::LaunchOptions;
using matrix::NumericsAxisId;
using matrix::NumericsCase;
using reference::Problem;

std::string refusal(const KernelMap& map, const NumericsCase& numerics, const LaunchOptions& options)
{
  if (number_of(numerics, NumericsAxisId::kernel) != map.generation)
    return "the map's kernel does not answer for " + std::string(value_of(numerics, NumericsAxisId::kernel).text);
  if (number_of(numerics, NumericsAxisId::cp_size) > 1) return "an external kernel runs on one rank";
  return gpu::external::refusal(map, to_problem(numerics), options, is_backward(numerics));
}

/// Without strides nobody could step over gaps.
gpu::attention::TensorLayout layout_of(const KernelMap& map)
{
  gpu::attention::TensorLayout layout;
  layout.rows_before_heads = map.rows_before_heads;
  if (!takes_strides(map)) layout.row_gap = layout.column_gap = 0;
  return layout;
}

}  // namespace

std::unique_ptr<KernelBackend> make_external_backend(const std::string& map_file, const std::string& evidence)
{
  const auto kernels = std::make_shared<const ExternalKernels>(read_kernel_map(map_file));
  const KernelMap& map = kernels->map();
  EmulatedBackendOptions options;
  options.evidence = evidence;
  options.host.layout = layout_of(map);
  options.host.plan_forward = [kernels](const Problem& problem, const LaunchOptions& launch) {
    return kernels->plan_forward(problem, launch);
  };
  options.host.plan_backward = [kernels](const Problem& problem, const LaunchOptions& launch) {
    return kernels->plan_backward(problem, launch);
  };
  KernelBackendParts parts = emulated_parts({{map.ptx_name, map.ptx}}, options);
  parts.name = "external";
  parts.identity = map.text;
  parts.lse_layout = map.lse_layout;
  parts.refusal = [kernels](const NumericsCase& numerics, const LaunchOptions& launch) {
    return refusal(kernels->map(), numerics, launch);
  };
  return std::make_unique<KernelBackend>(std::move(parts));
}

}  // namespace flashgate::app
