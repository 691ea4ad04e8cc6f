#include "tests/gpu/kernels/kernel_run.h"

#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "reference/error.h"
#include "tests/gpu/kernels/device_tensor.h"

namespace flashgate::gpu::kernels {
namespace {

using reference::Problem;
using reference::Tensor;

/// LSE as the canonical tensor.
Tensor<double> canonical_lse(const Problem& problem, const AttentionParameters& parameters,
                             const std::vector<std::byte>& bytes)
{
  Tensor<double> lse(problem.batch, problem.num_heads, problem.seqlen_q, 1);
  for (int b = 0; b < problem.batch; ++b)
    for (int h = 0; h < problem.num_heads; ++h)
      for (int i = 0; i < problem.seqlen_q; ++i) {
        const std::int64_t at = b * parameters.lse.batch_stride + h * parameters.lse.head_stride + i;
        float value = 0;
        std::memcpy(&value, &bytes[static_cast<std::size_t>(at) * sizeof(float)], sizeof(float));
        const bool is_masked = value == parameters.lse_masked_row;
        lse(b, h, i, 0) = is_masked ? -std::numeric_limits<double>::infinity() : static_cast<double>(value);
      }
  return lse;
}

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes)
{
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::string read_file(const std::string& path)
{
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("{}: no such PTX", path));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

/// What both directions work on.
struct KernelRunner::Memory
{
  DeviceTensor q, k, v, o, d_o;
  DeviceBuffer lse, columns;

  Memory(Device& device, const Problem& p, const reference::ColumnMask& mask, const reference::AttentionInputs& inputs,
         const LaunchOptions& options)
      : q(device, "Q", p.batch, p.num_heads, p.seqlen_q, p.head_dim),
        k(device, "K", p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim),
        v(device, "V", p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim_v),
        o(device, "O", p.batch, p.num_heads, p.seqlen_q, p.head_dim_v),
        d_o(device, "dO", p.batch, p.num_heads, p.seqlen_q, p.head_dim_v),
        lse(device, "LSE", lse_elements(p, options.lse_layout) * sizeof(float)),
        columns(device, "column bounds", mask.startend_row_indices.size() * sizeof(std::int32_t))
  {
    q.write(p.dtype, inputs.q);
    k.write(p.dtype, inputs.k);
    v.write(p.dtype, inputs.v);
    d_o.write(p.dtype, inputs.d_o);
    if (!mask.empty()) device.write(columns.address(), std::as_bytes(std::span(mask.startend_row_indices)));
  }

  void put_into(AttentionParameters& parameters) const
  {
    parameters.q = q.view();
    parameters.k = k.view();
    parameters.v = v.view();
    parameters.o = o.view();
    parameters.d_o = d_o.view();
    parameters.lse.address = lse.address();
    parameters.column_bounds.address = columns.address();
  }
};

KernelRunner::KernelRunner() : device_(make_emulated_device({})) {}

Module& KernelRunner::module(const std::string& name)
{
  std::unique_ptr<Module>& known = modules_[name];
  if (known == nullptr) known = device_->load(read_file(fmt::format("{}/{}.ptx", FLASHGATE_KERNELS, name)), name);
  return *known;
}

void KernelRunner::launch(const LaunchPlan& plan, KernelResult& result)
{
  for (const LaunchStep& step : plan.steps) {
    const Kernel& kernel = module(step.module).kernel(step.entry);
    LaunchConfig config;
    config.grid = step.grid;
    config.block = step.block;
    config.dynamic_shared_bytes = step.shared_bytes;
    config.parameters = Arguments().add(plan.parameters).bytes();
    const LaunchResult launched = device_->launch(kernel, config);
    if (!launched.completed) result.complaints.push_back(step.entry + " did not end");
    for (const Finding& finding : launched.findings)
      result.complaints.push_back(fmt::format("{}: {}: {}; at {}", step.entry, check_name(finding.check),
                                              finding.detail, kernel.site(finding.instruction)));
  }
}

void KernelRunner::run_forward(const LaunchOptions& options, const Problem& problem, Memory& memory,
                               KernelResult& result)
{
  LaunchPlan plan = plan_forward(problem, options);
  const DeviceBuffer tiles(*device_, "tile bounds", plan.workspace.tile_bounds);
  memory.put_into(plan.parameters);
  plan.parameters.tile_bounds = tiles.address();
  launch(plan, result);
  result.outputs.o = memory.o.read(problem.dtype, result.complaints);
  const std::vector<std::byte> lse = memory.lse.read();
  result.outputs.lse = canonical_lse(problem, plan.parameters, lse);
  append(result.forward_bits, memory.o.bytes());
  append(result.forward_bits, lse);
}

void KernelRunner::run_backward(const LaunchOptions& options, const Problem& p, Memory& memory, KernelResult& result)
{
  DeviceTensor dq(*device_, "dQ", p.batch, p.num_heads, p.seqlen_q, p.head_dim);
  DeviceTensor dk(*device_, "dK", p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim);
  DeviceTensor dv(*device_, "dV", p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim_v);
  LaunchPlan plan = plan_backward(p, options);
  const DeviceBuffer tiles(*device_, "tile bounds", plan.workspace.tile_bounds);
  const DeviceBuffer delta(*device_, "delta", plan.workspace.delta);
  const DeviceBuffer accumulator(*device_, "dQ accumulator", plan.workspace.dq_accumulator);
  memory.put_into(plan.parameters);
  plan.parameters.dq = dq.view();
  plan.parameters.dk = dk.view();
  plan.parameters.dv = dv.view();
  plan.parameters.tile_bounds = tiles.address();
  plan.parameters.delta.address = delta.address();
  plan.parameters.dq_accumulator = accumulator.address();
  launch(plan, result);
  result.gradients.dq = dq.read(p.dtype, result.complaints);
  result.gradients.dk = dk.read(p.dtype, result.complaints);
  result.gradients.dv = dv.read(p.dtype, result.complaints);
  for (const DeviceTensor* tensor : {&dq, &dk, &dv})
    append(result.backward_bits, tensor->bytes());
}

KernelResult KernelRunner::run(const Problem& problem, const reference::ColumnMask& mask,
                               const reference::AttentionInputs& inputs, LaunchOptions options, bool backward)
{
  options.mask_heads = mask.empty() ? 1 : mask.heads;
  options.bounds_per_column = mask.bounds_per_column;
  Memory memory(*device_, problem, mask, inputs, options);
  KernelResult result;
  run_forward(options, problem, memory, result);
  if (backward) run_backward(options, problem, memory, result);
  return result;
}

}  // namespace flashgate::gpu::kernels
