#include "gpu/external/shape_value.h"

#include <algorithm>
#include <array>

namespace flashgate::gpu::external {
namespace {

using Parameters = kernels::AttentionParameters;

template <typename Value>
struct Row
{
  std::string_view name;
  Value value;
};

constexpr auto kShapes = std::to_array<Row<ShapeValue>>({
    {"batch", [](const Parameters& p) { return std::int64_t{p.batch}; }},
    {"num_heads", [](const Parameters& p) { return std::int64_t{p.num_heads}; }},
    {"num_heads_kv", [](const Parameters& p) { return std::int64_t{p.num_heads_kv}; }},
    {"mask_heads", [](const Parameters& p) { return std::int64_t{p.column_bounds.heads}; }},
    {"mask_columns", [](const Parameters& p) { return std::int64_t{p.column_bounds.bounds_per_column}; }},
    {"seqlen_q", [](const Parameters& p) { return std::int64_t{p.seqlen_q}; }},
    {"seqlen_k", [](const Parameters& p) { return std::int64_t{p.seqlen_k}; }},
    {"head_dim", [](const Parameters& p) { return std::int64_t{p.head_dim}; }},
    {"head_dim_v", [](const Parameters& p) { return std::int64_t{p.head_dim_v}; }},
    {"is_causal", [](const Parameters& p) { return std::int64_t{p.is_causal}; }},
    {"causal_offset", [](const Parameters& p) { return std::int64_t{p.causal_offset}; }},
});

/// The strides of one tensor.
template <auto kTensor>
constexpr std::array<ShapeValue, 3> kStrides{
    [](const Parameters& p) { return (p.*kTensor).batch_stride; },
    [](const Parameters& p) { return (p.*kTensor).head_stride; },
    [](const Parameters& p) { return (p.*kTensor).row_stride; },
};
constexpr std::array<std::string_view, 3> kStrideNames{"batch_stride", "head_stride", "row_stride"};

template <auto kTensor>
constexpr TensorAddress kAddress = [](const Parameters& p) { return (p.*kTensor).address; };

struct TensorRow
{
  std::string_view name;
  TensorAddress address;
  std::array<ShapeValue, 3> strides{};
};

template <auto kTensor>
constexpr TensorRow tensor_row(std::string_view name)
{
  return {name, kAddress<kTensor>, kStrides<kTensor>};
}

constexpr auto kTensors = std::to_array<TensorRow>({
    tensor_row<&Parameters::q>("q"),
    tensor_row<&Parameters::k>("k"),
    tensor_row<&Parameters::v>("v"),
    tensor_row<&Parameters::o>("o"),
    tensor_row<&Parameters::d_o>("do"),
    tensor_row<&Parameters::dq>("dq"),
    tensor_row<&Parameters::dk>("dk"),
    tensor_row<&Parameters::dv>("dv"),
    {"lse",
     kAddress<&Parameters::lse>,
     {[](const Parameters& p) { return p.lse.batch_stride; }, [](const Parameters& p) { return p.lse.head_stride; },
      nullptr}},
    {"indices", kAddress<&Parameters::column_bounds>},
    {"workspace", [](const Parameters& p) { return p.dq_accumulator; }},
});

template <typename Rows>
std::vector<std::string_view> names_of(const Rows& rows)
{
  std::vector<std::string_view> names;
  for (const auto& row : rows)
    names.push_back(row.name);
  return names;
}

ShapeValue find_stride(std::string_view tensor, std::string_view stride)
{
  const auto row = std::ranges::find(kTensors, tensor, &TensorRow::name);
  const auto name = std::ranges::find(kStrideNames, stride);
  if (row == kTensors.end() || name == kStrideNames.end()) return nullptr;
  return row->strides[static_cast<std::size_t>(name - kStrideNames.begin())];
}

}  // namespace

ShapeValue find_shape_value(std::string_view name)
{
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) return find_stride(name.substr(0, dot), name.substr(dot + 1));
  const auto row = std::ranges::find(kShapes, name, &Row<ShapeValue>::name);
  return row == kShapes.end() ? nullptr : row->value;
}

std::vector<std::string_view> shape_names() { return names_of(kShapes); }

TensorAddress find_tensor(std::string_view name)
{
  const auto row = std::ranges::find(kTensors, name, &TensorRow::name);
  return row == kTensors.end() ? nullptr : row->address;
}

std::vector<std::string_view> tensor_names() { return names_of(kTensors); }

}  // namespace flashgate::gpu::external
