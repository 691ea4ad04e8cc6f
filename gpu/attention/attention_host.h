#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/attention/complaint.h"
#include "gpu/attention/device_tensor.h"
#include "gpu/attention/kernel_library.h"
#include "gpu/device.h"
#include "gpu/kernels/attention_launch.h"
#include "reference/column_mask.h"
#include "reference/problem.h"
#include "reference/tensor.h"

namespace flashgate::gpu::attention {

/// What attention is computed of. All of it outlives the call; tensors hold values of the dtype and may have more rows
/// than the lengths say.
struct AttentionCall
{
  const reference::Problem& problem;
  const reference::ColumnMask& mask;
  const reference::Tensor<double>& q;
  const reference::Tensor<double>& k;
  const reference::Tensor<double>& v;
  const reference::Tensor<double>& d_o;  ///< backward only
};

struct ForwardResult
{
  reference::Tensor<double> o;
  reference::Tensor<double> lse;  ///< [batch, heads, seqlen_q, 1], natural log, -inf for a fully masked row
  std::vector<std::byte> memory;  ///< of O and LSE as the device has it, gaps included
};

struct BackwardResult
{
  reference::Tensor<double> dq;
  reference::Tensor<double> dk;
  reference::Tensor<double> dv;
  std::vector<std::byte> memory;  ///< of dQ, dK and dV
};

/// What is launched for a direction of a call: plan_forward or plan_backward, or something that differs from them.
using Planner = std::function<kernels::LaunchPlan(const reference::Problem&, const kernels::LaunchOptions&)>;

struct HostOptions
{
  double unwritten = 0;  ///< what an element that no kernel wrote is returned as
  TensorLayout layout{};
  Planner plan_forward = kernels::plan_forward;
  Planner plan_backward = kernels::plan_backward;
};

/// The host's side of an attention call, for either device: allocates, uploads, launches the plan's steps, downloads,
/// and looks at memory that had to stay as it was. Nothing is kept between calls but loaded modules.
///
/// Mask heads and bounds per column of the launch options are taken from the mask. Throws Error for what the device or
/// the plan refuses; what a kernel does wrong is a complaint. A launch that does not end is one, and the steps after it
/// are left out. One thread at a time.
class AttentionHost
{
 public:
  /// `library` outlives the host.
  AttentionHost(std::unique_ptr<Device> device, const KernelLibrary& library, HostOptions options);

  Device& device() { return *device_; }

  ForwardResult forward(const AttentionCall& call, const kernels::LaunchOptions& options, Complaints& complaints);

  /// From a forward's O and LSE, which hold values of their formats.
  BackwardResult backward(const AttentionCall& call, const reference::Tensor<double>& o,
                          const reference::Tensor<double>& lse, const kernels::LaunchOptions& options,
                          Complaints& complaints);

 private:
  void run(const kernels::LaunchPlan& plan, Complaints& complaints);
  Module& module(const std::string& name);

  std::unique_ptr<Device> device_;
  const KernelLibrary& library_;
  HostOptions options_;
  std::map<std::string, std::unique_ptr<Module>> modules_;  ///< destroyed before the device
};

}  // namespace flashgate::gpu::attention
