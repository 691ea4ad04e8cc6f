#include "gpu/external/kernel_map.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/error.h"

namespace flashgate::gpu::external {
namespace {

using reference::Problem;

template <typename Value>
bool has(const std::vector<Value>& values, const Value& value)
{
  return std::ranges::find(values, value) != values.end();
}

std::string replaced(std::string text, std::string_view placeholder, std::string_view value)
{
  for (std::size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder, at))
    text.replace(at, placeholder.size(), value);
  return text;
}

bool takes_strides(const MapDirection& direction)
{
  return std::ranges::any_of(direction.steps, [](const MapStep& step) {
    return std::ranges::any_of(step.arguments, [](const Argument& argument) {
      const auto* expression = std::get_if<Expression>(&argument);
      return expression != nullptr && expression->reads_strides();
    });
  });
}

/// What the call's shapes ask for beyond the map's support.
std::string shape_refusal(const MapSupport& support, const Problem& problem)
{
  if (!has(support.dtypes, problem.dtype)) return fmt::format("the map has no {}", reference::name(problem.dtype));
  if (!has(support.head_dims, {problem.head_dim, problem.head_dim_v}))
    return fmt::format("the map has no head dims {}/{}", problem.head_dim, problem.head_dim_v);
  if (problem.seqlen_q % support.seqlen_multiple != 0 || problem.seqlen_k % support.seqlen_multiple != 0)
    return fmt::format("the map has lengths that are multiples of {}, not {} and {}", support.seqlen_multiple,
                       problem.seqlen_q, problem.seqlen_k);
  if (!support.grouped_heads && problem.num_heads != problem.num_heads_kv)
    return fmt::format("the map has no grouped heads, {} on {}", problem.num_heads, problem.num_heads_kv);
  return {};
}

}  // namespace

Argument parse_argument(const std::string& text)
{
  if (const TensorAddress address = find_tensor(text); address != nullptr) return address;
  if (text == "softmax_scale") return SoftmaxScale{};
  try {
    return Expression(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}; or softmax_scale, or a tensor: {}", error.what(), fmt::join(tensor_names(), ", ")));
  }
}

std::string entry_name(const MapStep& step, reference::Dtype dtype, std::pair<int, int> head_dims)
{
  std::string name = replaced(step.entry, "{dtype}", reference::name(dtype));
  name = replaced(std::move(name), "{head_dim}", std::to_string(head_dims.first));
  return replaced(std::move(name), "{head_dim_v}", std::to_string(head_dims.second));
}

std::string refusal(const KernelMap& map, const Problem& problem, const kernels::LaunchOptions& options, bool backward)
{
  const MapSupport& support = map.support;
  if (std::string why = shape_refusal(support, problem); !why.empty()) return why;
  if (!has(support.causal, problem.causal))
    return fmt::format("the map has no causal call of kind {}", reference::name(problem.causal));
  if (!has(support.mask_columns, options.bounds_per_column))
    return fmt::format("the map has no masks of {} columns", options.bounds_per_column);
  if (!backward) return {};
  if (map.backward.steps.empty()) return "the map has no backward";
  if (options.deterministic ? !support.deterministic : !support.nondeterministic)
    return fmt::format("the map has no {} backward", options.deterministic ? "deterministic" : "non-deterministic");
  return {};
}

bool takes_strides(const KernelMap& map) { return takes_strides(map.forward) || takes_strides(map.backward); }

}  // namespace flashgate::gpu::external
