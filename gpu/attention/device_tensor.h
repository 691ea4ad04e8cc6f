#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/attention/complaint.h"
#include "gpu/device.h"
#include "gpu/kernels/attention_parameters.h"
#include "reference/problem.h"
#include "reference/tensor.h"

namespace flashgate::gpu::attention {

/// What memory of 16-bit elements holds before a call: a NaN in bf16 and in fp16, which no arithmetic returns. Two of
/// them are a NaN in fp32.
inline constexpr std::uint16_t kPoison = 0xFFE5;

/// How the kernels want tensors to lie. Gaps are for those that take strides.
struct TensorLayout
{
  bool rows_before_heads = false;  ///< bshd, else bhsd
  int row_gap = 3;                 ///< rows behind the last
  int column_gap = 8;              ///< elements behind a row; a multiple of 8 keeps rows at multiples of 16 bytes
};

/// A tensor of bf16 or fp16 on the device, inside a larger one: rows behind its last and columns behind its head dim.
/// All of it is poison at first, so that reading beyond the lengths, writing there, and not writing at all show.
class DeviceTensor
{
 public:
  DeviceTensor(Device& device, const TensorLayout& layout, const std::string& name, int batch, int heads, int rows,
               int columns);
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;
  ~DeviceTensor() { device_.free(view_.address); }

  /// Address and strides, as kernels take them.
  const kernels::HeadTensor& view() const { return view_; }

  /// Uploads. `values` hold numbers of the dtype and may have more rows, which stay here.
  void write(reference::Dtype dtype, const reference::Tensor<double>& values);

  /// Downloads; poison comes back as `unwritten`. Complains if anything was written that does not belong to the tensor.
  reference::Tensor<double> read(reference::Dtype dtype, double unwritten, Complaints& complaints);

  /// Complains if the memory is not as it was last written: nobody may change an input.
  void check_unchanged(Complaints& complaints) const;

  /// The memory as it was last written or read, gaps included.
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(image_)); }

 private:
  template <typename Visit>
  void for_each_row(Visit visit) const;

  Device& device_;
  std::string name_;
  int batch_;
  int heads_;
  int rows_;
  int columns_;
  kernels::HeadTensor view_;
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

 private:
  Device& device_;
  DeviceAddress address_ = 0;
};

}  // namespace flashgate::gpu::attention
