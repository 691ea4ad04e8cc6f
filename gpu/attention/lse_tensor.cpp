#include "gpu/attention/lse_tensor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace flashgate::gpu::attention {
namespace {

using kernels::LseLayout;
using reference::Tensor;

constexpr std::uint32_t kPoisonBits = std::uint32_t{kPoison} << 16 | kPoison;

bool is_poison(float value) { return std::bit_cast<std::uint32_t>(value) == kPoisonBits; }

/// Between the layout's sign of infinity and ours; its own inverse.
double swap_infinities(LseLayout layout, double value)
{
  return layout == LseLayout::version_2 && std::isinf(value) ? -value : value;
}

}  // namespace

LseTensor::LseTensor(Device& device, const reference::Problem& problem, LseLayout layout)
    : device_(device),
      problem_(problem),
      layout_(layout),
      buffer_(device, "LSE", lse_elements(problem, layout) * sizeof(float)),
      image_(lse_elements(problem, layout), std::bit_cast<float>(kPoisonBits))
{
  device_.write(address(), bytes());
}

/// Calls visit(b, h, i, position of the row's element).
template <typename Visit>
void LseTensor::for_each_row(Visit visit) const
{
  const std::size_t heads = static_cast<std::size_t>(problem_.batch) * static_cast<std::size_t>(problem_.num_heads);
  const std::size_t stride = image_.size() / heads;
  std::size_t first = 0;
  for (int b = 0; b < problem_.batch; ++b)
    for (int h = 0; h < problem_.num_heads; ++h, first += stride)
      for (int i = 0; i < problem_.seqlen_q; ++i)
        visit(b, h, i, first + static_cast<std::size_t>(i));
}

void LseTensor::write(const Tensor<double>& lse)
{
  for_each_row([&](int b, int h, int i, std::size_t at) {
    image_[at] = static_cast<float>(swap_infinities(layout_, lse(b, h, i, 0)));
  });
  device_.write(address(), bytes());
}

Tensor<double> LseTensor::read(double unwritten, Complaints& complaints)
{
  device_.read(address(), std::as_writable_bytes(std::span(image_)));
  Tensor<double> lse(problem_.batch, problem_.num_heads, problem_.seqlen_q, 1);
  std::vector<float> rest = image_;
  for_each_row([&](int b, int h, int i, std::size_t at) {
    lse(b, h, i, 0) = is_poison(rest[at]) ? unwritten : swap_infinities(layout_, static_cast<double>(rest[at]));
    rest[at] = std::bit_cast<float>(kPoisonBits);
  });
  const auto written = std::ranges::find_if_not(rest, is_poison);
  if (written != rest.end())
    complaints.push_back(
        {{}, fmt::format("LSE was written outside of its rows, at element {}", written - rest.begin())});
  return lse;
}

void LseTensor::check_unchanged(Complaints& complaints) const
{
  std::vector<float> now(image_.size());
  device_.read(address(), std::as_writable_bytes(std::span(now)));
  if (std::memcmp(now.data(), image_.data(), bytes().size()) != 0) complaints.push_back({{}, "input LSE was changed"});
}

}  // namespace flashgate::gpu::attention
