#include "gpu/external/external_kernels.h"

#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "reference/error.h"

namespace flashgate::gpu::external {
namespace {

using kernels::AttentionParameters;
using kernels::LaunchOptions;
using kernels::LaunchPlan;
using kernels::LaunchStep;
using reference::Problem;

enum class Kind { integer, real, other };

Kind kind_of(ptx::Type type)
{
  using enum ptx::Type;
  switch (type) {
    case b8:
    case u8:
    case s8:
    case b16:
    case u16:
    case s16:
    case b32:
    case u32:
    case s32:
    case b64:
    case u64:
    case s64:
      return Kind::integer;
    case f32:
    case f64:
      return Kind::real;
    default:
      return Kind::other;
  }
}

/// What an argument asks of its parameter, as a message says it; empty if the parameter will do.
std::string_view mismatch(const Argument& argument, ptx::Type type)
{
  if (std::holds_alternative<SoftmaxScale>(argument)) return kind_of(type) == Kind::real ? "" : "f32 or f64";
  if (std::holds_alternative<TensorAddress>(argument))
    return kind_of(type) == Kind::integer && ptx::size_in_bytes(type) == 8 ? "" : "an address of 8 bytes";
  return kind_of(type) == Kind::integer ? "" : "an integer";
}

void put(std::vector<std::byte>& bytes, std::size_t offset, const auto& value)
{
  std::memcpy(&bytes[offset], &value, sizeof value);
}

/// Two's complement, the low bytes first; false if the number does not fit as a signed or an unsigned one.
bool put_integer(std::vector<std::byte>& bytes, std::size_t offset, int size, std::int64_t value)
{
  if (size < 8) {
    const std::int64_t limit = std::int64_t{1} << (8 * size);
    if (value >= limit || value < -limit / 2) return false;
  }
  std::memcpy(&bytes[offset], &value, static_cast<std::size_t>(size));
  return true;
}

std::uint32_t extent(const Expression& expression, const AttentionParameters& shapes, const MapStep& step,
                     std::int64_t least)
{
  const std::int64_t value = expression.evaluate(shapes);
  if (value < least || value > std::numeric_limits<std::int32_t>::max())
    throw Error(fmt::format("{}: '{}' is {} here, expected {} or more", step.place, expression.text(), value, least));
  return static_cast<std::uint32_t>(value);
}

Dim3 extents(const std::array<Expression, 3>& expressions, const AttentionParameters& shapes, const MapStep& step)
{
  return {extent(expressions[0], shapes, step, 1), extent(expressions[1], shapes, step, 1),
          extent(expressions[2], shapes, step, 1)};
}

}  // namespace

ExternalKernels::ExternalKernels(KernelMap map) : map_(std::move(map))
{
  const ptx::Module module = ptx::parse_module(map_.ptx, map_.ptx_name);
  for (const MapDirection* direction : {&map_.forward, &map_.backward})
    for (const MapStep& step : direction->steps)
      check(module, step);
}

void ExternalKernels::check(const ptx::Module& module, const MapStep& step)
{
  for (reference::Dtype dtype : map_.support.dtypes)
    for (const std::pair<int, int>& head_dims : map_.support.head_dims) {
      const std::string name = entry_name(step, dtype, head_dims);
      const ptx::Function* entry = module.find_function(name);
      if (entry == nullptr || !entry->is_entry)
        throw Error(fmt::format("{}: no entry '{}' in {}", step.place, name, map_.ptx_name));
      slots_.emplace(name, slots_of(*entry, step));
    }
}

ExternalKernels::Slots ExternalKernels::slots_of(const ptx::Function& entry, const MapStep& step) const
{
  if (entry.parameters.size() != step.arguments.size())
    throw Error(fmt::format("{}: {} arguments, but entry '{}' takes {} ({}:{})", step.place, step.arguments.size(),
                            entry.name, entry.parameters.size(), map_.ptx_name, entry.line));
  Slots slots;
  std::size_t end = 0;
  for (std::size_t n = 0; n < step.arguments.size(); ++n) {
    const ptx::Variable& parameter = entry.parameters[n];
    const bool is_scalar = !parameter.is_array && parameter.vector == 1;
    const std::string_view expected = mismatch(step.arguments[n], is_scalar ? parameter.type : ptx::Type::none);
    if (!expected.empty())
      throw Error(fmt::format("{}: argument {} is {}, but parameter {} of entry '{}' is .{}, {} bytes ({}:{})",
                              step.place, n + 1, expected, n + 1, entry.name, ptx::name_of(parameter.type),
                              parameter.size, map_.ptx_name, parameter.line));
    const std::size_t offset = (end + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    slots.push_back({parameter.type, offset});
    end = offset + parameter.size;
  }
  return slots;
}

LaunchStep ExternalKernels::launch(const MapStep& step, const Problem& problem, const AttentionParameters& shapes) const
{
  const std::string name = entry_name(step, problem.dtype, {problem.head_dim, problem.head_dim_v});
  const Slots& slots = slots_.find(name)->second;
  const auto arguments = [&step, &slots](const AttentionParameters& parameters) {
    std::vector<std::byte> bytes;
    if (slots.empty()) return bytes;
    bytes.resize(slots.back().offset + static_cast<std::size_t>(ptx::size_in_bytes(slots.back().type)));
    for (std::size_t n = 0; n < slots.size(); ++n) {
      const auto [type, offset] = slots[n];
      if (const auto* address = std::get_if<TensorAddress>(&step.arguments[n])) {
        put(bytes, offset, (*address)(parameters));
      } else if (const auto* expression = std::get_if<Expression>(&step.arguments[n])) {
        const std::int64_t value = expression->evaluate(parameters);
        if (!put_integer(bytes, offset, ptx::size_in_bytes(type), value))
          throw Error(fmt::format("{}: argument {} is {} here, too large for .{}", step.place, n + 1, value,
                                  ptx::name_of(type)));
      } else if (type == ptx::Type::f32) {
        put(bytes, offset, parameters.softmax_scale);
      } else {
        put(bytes, offset, static_cast<double>(parameters.softmax_scale));
      }
    }
    return bytes;
  };
  return {map_.ptx_name,
          name,
          extents(step.grid, shapes, step),
          extents(step.block, shapes, step),
          extent(step.shared_bytes, shapes, step, 0),
          arguments};
}

LaunchPlan ExternalKernels::plan(const MapDirection& direction, const Problem& problem, const LaunchOptions& options,
                                 bool backward) const
{
  if (const std::string why = refusal(map_, problem, options, backward); !why.empty()) throw Error(why);
  LaunchPlan plan;
  plan.parameters = parameters_of(problem, options);
  for (const MapStep& step : direction.steps)
    plan.steps.push_back(launch(step, problem, plan.parameters));
  plan.workspace.dq_accumulator = extent(direction.workspace_bytes, plan.parameters, direction.steps.front(), 0);
  return plan;
}

LaunchPlan ExternalKernels::plan_forward(const Problem& problem, const LaunchOptions& options) const
{
  return plan(map_.forward, problem, options, false);
}

LaunchPlan ExternalKernels::plan_backward(const Problem& problem, const LaunchOptions& options) const
{
  return plan(map_.backward, problem, options, true);
}

}  // namespace flashgate::gpu::external
