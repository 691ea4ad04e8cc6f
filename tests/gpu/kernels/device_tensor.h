#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/kernels/attention_parameters.h"
#include "reference/problem.h"
#include "reference/tensor.h"

namespace flashgate::gpu::kernels {

/// A tensor of the dtype on the device, inside a larger one: rows behind its last, columns behind its head dim, all of
/// them NaN, so that reading or writing them shows. Elements that were never written are NaN as well.
class DeviceTensor
{
 public:
  DeviceTensor(Device& device, const std::string& name, int batch, int heads, int rows, int columns);
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;
  ~DeviceTensor() { device_.free(view_.address); }

  /// Address and strides, as kernels take them.
  const HeadTensor& view() const { return view_; }

  /// Uploads. `values` may have more rows.
  void write(reference::Dtype dtype, const reference::Tensor<double>& values);

  /// Downloads; adds a line to `complaints` if anything was written that does not belong to the tensor.
  reference::Tensor<double> read(reference::Dtype dtype, std::vector<std::string>& complaints);

  /// The memory as it was last written or read, gaps included.
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(image_)); }

 private:
  template <typename Visit>
  void for_each(Visit visit) const;

  Device& device_;
  std::string name_;
  int batch_;
  int heads_;
  int rows_;
  int columns_;
  HeadTensor view_;
  std::vector<std::uint16_t> image_;
};

/// Memory that nobody has written yet; none for 0 bytes.
class DeviceBuffer
{
 public:
  DeviceBuffer(Device& device, const std::string& name, std::size_t bytes);
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer();

  DeviceAddress address() const { return address_; }
  std::vector<std::byte> read() const;

 private:
  Device& device_;
  std::size_t bytes_;
  DeviceAddress address_ = 0;
};

}  // namespace flashgate::gpu::kernels
