#include "gpu/attention/device_tensor.h"

#include <algorithm>

#include <fmt/format.h>

#include "reference/half.h"

namespace flashgate::gpu::attention {

using reference::Tensor;

DeviceTensor::DeviceTensor(Device& device, const TensorLayout& layout, const std::string& name, int batch, int heads,
                           int rows, int columns)
    : device_(device), name_(name), batch_(batch), heads_(heads), rows_(rows), columns_(columns)
{
  const std::int64_t width = columns + layout.column_gap;
  const std::int64_t height = rows + layout.row_gap;
  if (layout.rows_before_heads)
    view_ = {0, height * heads * width, width, heads * width};
  else
    view_ = {0, heads * height * width, height * width, width};
  image_.assign(static_cast<std::size_t>(batch * view_.batch_stride), kPoison);
  view_.address = device.allocate(bytes().size(), name);
  device.write(view_.address, bytes());
}

/// Calls visit(b, h, s, position of the row's first element).
template <typename Visit>
void DeviceTensor::for_each_row(Visit visit) const
{
  for (int b = 0; b < batch_; ++b)
    for (int h = 0; h < heads_; ++h)
      for (int s = 0; s < rows_; ++s)
        visit(b, h, s, static_cast<std::size_t>(b * view_.batch_stride + h * view_.head_stride + s * view_.row_stride));
}

void DeviceTensor::write(reference::Dtype dtype, const Tensor<double>& values)
{
  for_each_row([&](int b, int h, int s, std::size_t row) {
    for (int d = 0; d < columns_; ++d)
      image_[row + static_cast<std::size_t>(d)] = reference::to_bits(dtype, values(b, h, s, d));
  });
  device_.write(view_.address, bytes());
}

Tensor<double> DeviceTensor::read(reference::Dtype dtype, double unwritten, Complaints& complaints)
{
  device_.read(view_.address, std::as_writable_bytes(std::span(image_)));
  Tensor<double> values(batch_, heads_, rows_, columns_);
  std::vector<std::uint16_t> gaps = image_;
  for_each_row([&](int b, int h, int s, std::size_t row) {
    for (int d = 0; d < columns_; ++d) {
      std::uint16_t& bits = gaps[row + static_cast<std::size_t>(d)];
      values(b, h, s, d) = bits == kPoison ? unwritten : reference::from_bits(dtype, bits);
      bits = kPoison;
    }
  });
  const auto written = std::ranges::find_if(gaps, [](std::uint16_t bits) { return bits != kPoison; });
  if (written != gaps.end())
    complaints.push_back(
        {{}, fmt::format("{} was written outside of its lengths, at element {}", name_, written - gaps.begin())});
  return values;
}

void DeviceTensor::check_unchanged(Complaints& complaints) const
{
  std::vector<std::uint16_t> now(image_.size());
  device_.read(view_.address, std::as_writable_bytes(std::span(now)));
  const auto [changed, was] = std::ranges::mismatch(now, image_);
  if (changed != now.end())
    complaints.push_back({{}, fmt::format("input {} was changed, at element {}", name_, changed - now.begin())});
}

DeviceBuffer::DeviceBuffer(Device& device, const std::string& name, std::size_t bytes) : device_(device)
{
  if (bytes != 0) address_ = device.allocate(bytes, name);
}

DeviceBuffer::~DeviceBuffer()
{
  if (address_ != 0) device_.free(address_);
}

}  // namespace flashgate::gpu::attention
