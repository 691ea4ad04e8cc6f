#include "gpu/emulator/ptx/module.h"

namespace flashgate::gpu::ptx {

const Function* Module::find_function(std::string_view name) const
{
  const auto entry = function_index.find(name);
  return entry == function_index.end() ? nullptr : &functions[entry->second];
}

const Variable* Module::find_variable(std::string_view name) const
{
  const auto entry = variable_index.find(name);
  return entry == variable_index.end() ? nullptr : &variables[entry->second];
}

std::string name_of(const Register& reg)
{
  std::string name(reg.name);
  return reg.number == kNone ? name : name + std::to_string(reg.number);
}

}  // namespace flashgate::gpu::ptx
