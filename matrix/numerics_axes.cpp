#include "matrix/numerics_axes.h"

#include <algorithm>

#include "matrix/numerics_case.h"
#include "reference/input_fill.h"

namespace flashgate::matrix {
namespace {

using Id = NumericsAxisId;

/// Numbers of the values are positions in reference::families() and reference::fills().
std::vector<AxisValue> family_values()
{
  std::vector<AxisValue> values;
  for (const reference::FamilyRow& row : reference::families())
    values.push_back({row.name, static_cast<int>(row.family)});
  return values;
}

std::vector<AxisValue> fill_values()
{
  std::vector<AxisValue> values;
  for (const reference::FillRow& row : reference::fills())
    values.push_back({row.name, static_cast<int>(row.fill)});
  return values;
}

/// A family's first encoding is the upstream one, and so the default.
const reference::Encoding& upstream_encoding(const NumericsCase& numerics)
{
  return reference::family_row(family_of(numerics)).encodings.front();
}

int default_causal(const NumericsCase& numerics) { return upstream_encoding(numerics).causal ? 1 : 0; }

int default_mask_columns(const NumericsCase& numerics)
{
  return *find_numerics_number(Id::mask_columns, upstream_encoding(numerics).bounds_per_column);
}

/// Equal lengths on both sides of tile edges, then seqlen_q < seqlen_k and seqlen_q > seqlen_k.
std::vector<AxisValue> seqlen_values()
{
  return {{"128", 128, 128},     {"1", 1, 1},       {"63", 63, 63},      {"64", 64, 64},
          {"65", 65, 65},        {"127", 127, 127}, {"129", 129, 129},   {"257", 257, 257},
          {"512", 512, 512},     {"1/129", 1, 129}, {"64/128", 64, 128}, {"129/257", 129, 257},
          {"127/512", 127, 512}, {"65/1", 65, 1},   {"128/64", 128, 64}, {"257/129", 257, 129}};
}

std::vector<NumericsAxis> make_axes()
{
  return {
      {Id::kernel, "kernel", "kernel generation", {{"v3", 3}, {"v2", 2}, {"v4", 4}, {"naive", kNaiveKernel}}, nullptr},
      {Id::dtype,
       "dtype",
       "storage type of Q, K, V, O and their gradients",
       {{"bf16", static_cast<int>(reference::Dtype::bf16)}, {"fp16", static_cast<int>(reference::Dtype::fp16)}},
       nullptr},
      {Id::direction, "direction", "which kernel is judged", {{"forward", 0}, {"backward", 1}}, nullptr},
      {Id::head_dim, "head_dim", axis(AxisId::head_dim).help, axis(AxisId::head_dim).values, nullptr},
      {Id::family, "family", "mask family", family_values(), nullptr},
      {Id::causal,
       "causal",
       "a causal call, aligned to the kernel's corner: top_left for v2, bottom_right for the others",
       {{"no", 0}, {"yes", 1}},
       default_causal},
      {Id::mask_columns, "mask_columns", axis(AxisId::mask_columns).help, axis(AxisId::mask_columns).values,
       default_mask_columns},
      {Id::seqlen, "seqlen", "seqlen_q / seqlen_k; one number where both are equal", seqlen_values(), nullptr},
      {Id::heads,
       "heads",
       "query heads / key and value heads",
       {{"4/2", 4, 2}, {"1/1", 1, 1}, {"4/4", 4, 4}, {"6/2", 6, 2}, {"8/1", 8, 1}},
       nullptr},
      {Id::mask_heads,
       "mask_heads",
       "heads of the column mask: 1, one per key/value head, one per query head",
       {{"1", static_cast<int>(MaskHeads::one)},
        {"kv", static_cast<int>(MaskHeads::per_kv_head)},
        {"q", static_cast<int>(MaskHeads::per_q_head)}},
       nullptr},
      {Id::batch, "batch", "batch", {{"1", 1}, {"2", 2}}, nullptr},
      {Id::deterministic, "deterministic", axis(AxisId::deterministic).help, axis(AxisId::deterministic).values,
       nullptr},
      {Id::cp_size, "cp_size", "ranks of the context-parallel group", axis(AxisId::cp_size).values, nullptr},
      {Id::scale, "scale", axis(AxisId::scale).help, axis(AxisId::scale).values, nullptr},
      {Id::fill, "fill", "what the inputs hold; docs/numerics.md says what each exposes", fill_values(), nullptr},
  };
}

/// "64/64" -> "64": equal pairs are spelled as one number. Heads are always a pair.
std::string_view without_equal_pair(const NumericsAxis& axis, std::string_view text)
{
  if (axis.id != Id::head_dim && axis.id != Id::seqlen) return text;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.substr(0, slash) != text.substr(slash + 1)) return text;
  return text.substr(0, slash);
}

}  // namespace

const std::vector<NumericsAxis>& numerics_axes()
{
  static const std::vector<NumericsAxis> all = make_axes();
  return all;
}

const NumericsAxis& numerics_axis(NumericsAxisId id) { return numerics_axes()[static_cast<std::size_t>(id)]; }

std::optional<NumericsAxisId> find_numerics_axis(std::string_view name)
{
  const auto found = std::ranges::find(numerics_axes(), name, &NumericsAxis::name);
  return found == numerics_axes().end() ? std::nullopt : std::optional(found->id);
}

std::optional<int> find_numerics_value(const NumericsAxis& axis, std::string_view text)
{
  const auto found = std::ranges::find(axis.values, without_equal_pair(axis, text), &AxisValue::text);
  return found == axis.values.end() ? std::nullopt : std::optional(static_cast<int>(found - axis.values.begin()));
}

std::optional<int> find_numerics_number(NumericsAxisId id, int number, int second)
{
  const auto& values = numerics_axis(id).values;
  const auto found = std::ranges::find_if(
      values, [&](const AxisValue& value) { return value.number == number && value.second == second; });
  return found == values.end() ? std::nullopt : std::optional(static_cast<int>(found - values.begin()));
}

}  // namespace flashgate::matrix
