#include "gpu/emulator/loaded_module.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/emulator/decode/flat_body.h"
#include "reference/error.h"

namespace flashgate::gpu {
namespace {

bool is_global(const ptx::Variable& variable)
{
  return variable.space == ptx::StateSpace::global || variable.space == ptx::StateSpace::constant;
}

}  // namespace

LoadedModule::LoadedModule(std::shared_ptr<const ptx::Module> module, GlobalMemory& memory)
    : module_(std::move(module)), memory_(memory), addresses_(module_->variables.size(), 0)
{
  allocate();
  for (std::size_t index = 0; index < addresses_.size(); ++index) {
    if (addresses_[index] != 0) write_initial(module_->variables[index], addresses_[index]);
  }
}

LoadedModule::~LoadedModule()
{
  for (const std::uint64_t address : addresses_) {
    if (address != 0) memory_.free(address);
  }
}

void LoadedModule::allocate()
{
  for (std::size_t index = 0; index < addresses_.size(); ++index) {
    const ptx::Variable& variable = module_->variables[index];
    if (!is_global(variable) || variable.size == 0) continue;
    addresses_[index] = memory_.allocate(variable.size, std::string(variable.name),
                                         std::max<std::size_t>(std::bit_ceil(variable.alignment), 16),
                                         variable.space == ptx::StateSpace::constant);
  }
}

void LoadedModule::write_initial(const ptx::Variable& variable, std::uint64_t address)
{
  std::vector<std::byte> bytes(variable.size, std::byte{0});
  const std::size_t given = std::min(bytes.size(), variable.initial.size());
  if (given != 0) std::memcpy(bytes.data(), variable.initial.data(), given);
  for (const ptx::Relocation& relocation : variable.relocations) {
    const std::uint64_t value = address_of(relocation, variable) >> relocation.shift;
    if (relocation.offset + static_cast<std::size_t>(relocation.size) > bytes.size()) continue;
    std::memcpy(bytes.data() + relocation.offset, &value, static_cast<std::size_t>(relocation.size));
  }
  memory_.copy_in(address, bytes);
}

std::uint64_t LoadedModule::address_of(const ptx::Relocation& relocation, const ptx::Variable& variable) const
{
  const auto found = module_->variable_index.find(relocation.symbol);
  if (found != module_->variable_index.end())
    return addresses_[found->second] + static_cast<std::uint64_t>(relocation.addend);
  const auto function = module_->function_index.find(relocation.symbol);
  if (function != module_->function_index.end()) return decode::function_address(function->second);
  throw Error(module_->file_name + ":" + std::to_string(variable.line) + ": initial value of " +
              std::string(variable.name) + " names " + std::string(relocation.symbol) + ", which is not declared");
}

std::pair<std::uint64_t, std::uint64_t> LoadedModule::variable(std::string_view name) const
{
  const auto found = module_->variable_index.find(name);
  if (found == module_->variable_index.end() || addresses_[found->second] == 0) {
    throw Error(module_->file_name + ": no variable " + std::string(name) + " in global or constant memory");
  }
  return {addresses_[found->second], module_->variables[found->second].size};
}

std::shared_ptr<const Program> LoadedModule::program(std::string_view entry, decode::DecodeOptions options) const
{
  options.variable_addresses = addresses_;
  return decode::decode(module_, entry, options);
}

}  // namespace flashgate::gpu
