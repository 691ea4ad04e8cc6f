#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gpu/attention/device_tensor.h"
#include "gpu/kernels/attention_launch.h"
#include "reference/problem.h"
#include "reference/tensor.h"

namespace flashgate::gpu::attention {

/// LSE on the device in one of the layouts that versions have, and as [batch, heads, seqlen_q, 1] with -inf for a fully
/// masked row on this side. A version that marks such rows by +inf has the two infinities swapped in both directions,
/// so that the wrong one is still wrong afterwards.
class LseTensor
{
 public:
  LseTensor(Device& device, const reference::Problem& problem, kernels::LseLayout layout);

  DeviceAddress address() const { return buffer_.address(); }

  void write(const reference::Tensor<double>& lse);

  /// Downloads; poison comes back as `unwritten`. Complains about elements that were written and belong to no row.
  reference::Tensor<double> read(double unwritten, Complaints& complaints);

  /// Complains if the memory is not as it was last written.
  void check_unchanged(Complaints& complaints) const;

  /// The memory as it was last written or read.
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(image_)); }

 private:
  template <typename Visit>
  void for_each_row(Visit visit) const;

  Device& device_;
  const reference::Problem problem_;
  kernels::LseLayout layout_;
  DeviceBuffer buffer_;
  std::vector<float> image_;
};

}  // namespace flashgate::gpu::attention
