#include "tests/gpu/kernels/device_tensor.h"

#include <fmt/format.h>

#include "reference/half.h"

namespace flashgate::gpu::kernels {
namespace {

using reference::Tensor;

constexpr int kRowGap = 3;                    ///< rows behind the last
constexpr int kColumnGap = 8;                 ///< elements behind a row; keeps rows at multiples of 16 bytes
constexpr std::uint16_t kUntouched = 0xFFFF;  ///< a NaN in bf16 and in fp16

}  // namespace

DeviceTensor::DeviceTensor(Device& device, const std::string& name, int batch, int heads, int rows, int columns)
    : device_(device), name_(name), batch_(batch), heads_(heads), rows_(rows), columns_(columns)
{
  const std::int64_t row_stride = columns + kColumnGap;
  const std::int64_t head_stride = (rows + kRowGap) * row_stride;
  view_ = {0, heads * head_stride, head_stride, row_stride};
  image_.assign(static_cast<std::size_t>(batch * view_.batch_stride), kUntouched);
  view_.address = device.allocate(bytes().size(), name);
  device.write(view_.address, bytes());
}

template <typename Visit>
void DeviceTensor::for_each(Visit visit) const
{
  for (int b = 0; b < batch_; ++b)
    for (int h = 0; h < heads_; ++h)
      for (int s = 0; s < rows_; ++s)
        for (int d = 0; d < columns_; ++d) {
          const std::int64_t at = b * view_.batch_stride + h * view_.head_stride + s * view_.row_stride + d;
          visit(b, h, s, d, static_cast<std::size_t>(at));
        }
}

void DeviceTensor::write(reference::Dtype dtype, const Tensor<double>& values)
{
  for_each(
      [&](int b, int h, int s, int d, std::size_t at) { image_[at] = reference::to_bits(dtype, values(b, h, s, d)); });
  device_.write(view_.address, bytes());
}

Tensor<double> DeviceTensor::read(reference::Dtype dtype, std::vector<std::string>& complaints)
{
  device_.read(view_.address, std::as_writable_bytes(std::span(image_)));
  Tensor<double> values(batch_, heads_, rows_, columns_);
  std::vector<std::uint16_t> gaps = image_;
  for_each([&](int b, int h, int s, int d, std::size_t at) {
    values(b, h, s, d) = reference::from_bits(dtype, image_[at]);
    gaps[at] = kUntouched;
  });
  for (std::size_t at = 0; at < gaps.size(); ++at)
    if (gaps[at] != kUntouched) {
      complaints.push_back(fmt::format("{} was written outside of its lengths, at element {}", name_, at));
      break;
    }
  return values;
}

DeviceBuffer::DeviceBuffer(Device& device, const std::string& name, std::size_t bytes) : device_(device), bytes_(bytes)
{
  if (bytes_ != 0) address_ = device.allocate(bytes_, name);
}

DeviceBuffer::~DeviceBuffer()
{
  if (address_ != 0) device_.free(address_);
}

std::vector<std::byte> DeviceBuffer::read() const
{
  std::vector<std::byte> bytes(bytes_);
  device_.read(address_, bytes);
  return bytes;
}

}  // namespace flashgate::gpu::kernels
