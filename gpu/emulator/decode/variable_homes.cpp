#include "gpu/emulator/decode/variable_homes.h"

#include <algorithm>
#include <set>

#include "reference/error.h"

namespace flashgate::gpu::decode {
namespace {

constexpr std::uint64_t kLargestSpace = std::uint64_t{1} << 30;

/// Takes room for `variable` behind the first `bytes`; the offset.
std::uint64_t take_room(std::uint32_t& bytes, const ptx::Variable& variable, const FlatBody& flat)
{
  const std::uint64_t alignment = std::max<std::uint32_t>(variable.alignment, 1);
  const std::uint64_t offset = (bytes + alignment - 1) / alignment * alignment;
  if (variable.size > kLargestSpace || offset + variable.size > kLargestSpace) {
    throw Error(flat.module->file_name + ":" + std::to_string(variable.line) + ": variable " +
                std::string(variable.name) + " is larger than the memory it is in");
  }
  bytes = static_cast<std::uint32_t>(offset + variable.size);
  return offset;
}

Home place_shared(FlatBody& flat, const ptx::Variable& variable)
{
  if (variable.size == 0) {
    flat.dynamic_shared_alignment = std::max(flat.dynamic_shared_alignment, variable.alignment);
    return {.space = ptx::StateSpace::shared, .offset = 0, .is_dynamic = true};
  }
  return {.space = ptx::StateSpace::shared, .offset = take_room(flat.shared_bytes, variable, flat)};
}

}  // namespace

void place_parameters(FlatBody& flat, Frame& entry)
{
  for (const ptx::Variable& parameter : flat.module->functions[entry.function].parameters) {
    entry.parameters.push_back(
        {.space = ptx::StateSpace::param, .offset = take_room(flat.parameter_bytes, parameter, flat)});
  }
}

void place_variables(FlatBody& flat, Frame& frame)
{
  for (const ptx::Variable& variable : frame.body->variables) {
    if (variable.space == ptx::StateSpace::shared) {
      frame.variables.push_back(place_shared(flat, variable));
    } else {
      // What a thread passes to a call is its own, like a local variable.
      frame.variables.push_back(
          {.space = ptx::StateSpace::local, .offset = take_room(flat.local_bytes, variable, flat)});
    }
  }
}

void place_shared_variables(FlatBody& flat)
{
  std::set<std::size_t> used;
  for (const auto& entry : flat.bodies) {
    for (const ptx::Operand& operand : entry.second->operands) {
      if (operand.symbol == ptx::SymbolKind::module_variable) used.insert(static_cast<std::size_t>(operand.index));
    }
  }
  for (const std::size_t index : used) {
    const ptx::Variable& variable = flat.module->variables[index];
    if (variable.space == ptx::StateSpace::shared) flat.shared_variables[index] = place_shared(flat, variable);
  }
}

}  // namespace flashgate::gpu::decode
