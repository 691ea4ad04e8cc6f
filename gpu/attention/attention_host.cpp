#include "gpu/attention/attention_host.h"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "gpu/attention/lse_tensor.h"

namespace flashgate::gpu::attention {
namespace {

using kernels::AttentionParameters;
using kernels::LaunchOptions;
using kernels::LaunchPlan;
using reference::ColumnMask;
using reference::Problem;
using reference::Tensor;

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes)
{
  to.insert(to.end(), bytes.begin(), bytes.end());
}

LaunchOptions with_mask(LaunchOptions options, const ColumnMask& mask)
{
  options.mask_heads = mask.empty() ? 1 : mask.heads;
  options.bounds_per_column = mask.bounds_per_column;
  return options;
}

/// What both directions read.
struct Inputs
{
  DeviceTensor q, k, v;
  DeviceBuffer columns;

  Inputs(Device& device, const TensorLayout& layout, const AttentionCall& call)
      : q(device, layout, "Q", call.problem.batch, call.problem.num_heads, call.problem.seqlen_q,
          call.problem.head_dim),
        k(device, layout, "K", call.problem.batch, call.problem.num_heads_kv, call.problem.seqlen_k,
          call.problem.head_dim),
        v(device, layout, "V", call.problem.batch, call.problem.num_heads_kv, call.problem.seqlen_k,
          call.problem.head_dim_v),
        columns(device, "column bounds", call.mask.startend_row_indices.size() * sizeof(std::int32_t))
  {
    q.write(call.problem.dtype, call.q);
    k.write(call.problem.dtype, call.k);
    v.write(call.problem.dtype, call.v);
    if (!call.mask.empty()) device.write(columns.address(), std::as_bytes(std::span(call.mask.startend_row_indices)));
  }

  void put_into(AttentionParameters& parameters) const
  {
    parameters.q = q.view();
    parameters.k = k.view();
    parameters.v = v.view();
    parameters.column_bounds.address = columns.address();
  }

  void check_unchanged(Complaints& complaints) const
  {
    for (const DeviceTensor* tensor : {&q, &k, &v})
      tensor->check_unchanged(complaints);
  }
};

/// A plan's workspace: nobody has written it.
struct Scratch
{
  DeviceBuffer tile_bounds, delta, dq_accumulator;

  Scratch(Device& device, const kernels::Workspace& bytes)
      : tile_bounds(device, "tile bounds", bytes.tile_bounds),
        delta(device, "delta", bytes.delta),
        dq_accumulator(device, "dQ accumulator", bytes.dq_accumulator)
  {
  }

  void put_into(AttentionParameters& parameters) const
  {
    parameters.tile_bounds = tile_bounds.address();
    parameters.delta.address = delta.address();
    parameters.dq_accumulator = dq_accumulator.address();
  }
};

}  // namespace

AttentionHost::AttentionHost(std::unique_ptr<Device> device, const KernelLibrary& library, HostOptions options)
    : device_(std::move(device)), library_(library), options_(std::move(options))
{
}

Module& AttentionHost::module(const std::string& name)
{
  std::unique_ptr<Module>& known = modules_[name];
  if (known == nullptr) known = device_->load(module_text(library_, name), name);
  return *known;
}

void AttentionHost::run(const LaunchPlan& plan, Complaints& complaints)
{
  for (const kernels::LaunchStep& step : plan.steps) {
    const Kernel& kernel = module(step.module).kernel(step.entry);
    LaunchConfig config;
    config.grid = step.grid;
    config.block = step.block;
    config.dynamic_shared_bytes = step.shared_bytes;
    config.parameters = step.arguments ? step.arguments(plan.parameters) : Arguments().add(plan.parameters).bytes();
    const LaunchResult launched = device_->launch(kernel, config);
    for (const Finding& finding : launched.findings)
      complaints.push_back(
          {finding.check, fmt::format("{}: {}; at {}", step.entry, finding.detail, kernel.site(finding.instruction))});
    if (launched.completed) continue;
    if (launched.findings.empty()) complaints.push_back({Check::hang, step.entry + ": did not end"});
    complaints.back().ended_launch = true;
    return;
  }
}

ForwardResult AttentionHost::forward(const AttentionCall& call, const LaunchOptions& options, Complaints& complaints)
{
  const Problem& p = call.problem;
  LaunchPlan plan = options_.plan_forward(p, with_mask(options, call.mask));
  const Inputs inputs(*device_, options_.layout, call);
  DeviceTensor o(*device_, options_.layout, "O", p.batch, p.num_heads, p.seqlen_q, p.head_dim_v);
  LseTensor lse(*device_, p, options.lse_layout);
  const Scratch scratch(*device_, plan.workspace);
  inputs.put_into(plan.parameters);
  scratch.put_into(plan.parameters);
  plan.parameters.o = o.view();
  plan.parameters.lse.address = lse.address();
  run(plan, complaints);
  inputs.check_unchanged(complaints);
  ForwardResult result{o.read(p.dtype, options_.unwritten, complaints), lse.read(options_.unwritten, complaints), {}};
  append(result.memory, o.bytes());
  append(result.memory, lse.bytes());
  return result;
}

BackwardResult AttentionHost::backward(const AttentionCall& call, const Tensor<double>& o, const Tensor<double>& lse,
                                       const LaunchOptions& options, Complaints& complaints)
{
  const Problem& p = call.problem;
  LaunchPlan plan = options_.plan_backward(p, with_mask(options, call.mask));
  const Inputs inputs(*device_, options_.layout, call);
  DeviceTensor given_o(*device_, options_.layout, "O", p.batch, p.num_heads, p.seqlen_q, p.head_dim_v);
  DeviceTensor d_o(*device_, options_.layout, "dO", p.batch, p.num_heads, p.seqlen_q, p.head_dim_v);
  LseTensor given_lse(*device_, p, options.lse_layout);
  DeviceTensor dq(*device_, options_.layout, "dQ", p.batch, p.num_heads, p.seqlen_q, p.head_dim);
  DeviceTensor dk(*device_, options_.layout, "dK", p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim);
  DeviceTensor dv(*device_, options_.layout, "dV", p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim_v);
  const Scratch scratch(*device_, plan.workspace);
  given_o.write(p.dtype, o);
  d_o.write(p.dtype, call.d_o);
  given_lse.write(lse);
  inputs.put_into(plan.parameters);
  scratch.put_into(plan.parameters);
  plan.parameters.o = given_o.view();
  plan.parameters.d_o = d_o.view();
  plan.parameters.lse.address = given_lse.address();
  plan.parameters.dq = dq.view();
  plan.parameters.dk = dk.view();
  plan.parameters.dv = dv.view();
  run(plan, complaints);
  inputs.check_unchanged(complaints);
  for (const DeviceTensor* given : {&given_o, &d_o})
    given->check_unchanged(complaints);
  given_lse.check_unchanged(complaints);
  BackwardResult result{dq.read(p.dtype, options_.unwritten, complaints),
                        dk.read(p.dtype, options_.unwritten, complaints),
                        dv.read(p.dtype, options_.unwritten, complaints),
                        {}};
  for (const DeviceTensor* tensor : {&dq, &dk, &dv})
    append(result.memory, tensor->bytes());
  return result;
}

}  // namespace flashgate::gpu::attention
