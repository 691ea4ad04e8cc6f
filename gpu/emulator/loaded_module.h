#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/emulator/decode/decoder.h"
#include "gpu/emulator/memory/global_memory.h"

namespace flashgate::gpu {

/// A module whose variables have been given memory, so that its entries can be decoded and run. Variables keep their
/// values from one launch to the next, as on a device. The memory outlives it. For one thread at a time.
class LoadedModule
{
 public:
  /// Allocates .global and .const variables and writes their initial values, addresses among them included; what has no
  /// initial value is zero. Throws Error if memory is exhausted, or an initial value names an unknown symbol.
  LoadedModule(std::shared_ptr<const ptx::Module> module, GlobalMemory& memory);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  const ptx::Module& module() const { return *module_; }

  /// Address and size of a variable; throws Error if the module has none of that name.
  std::pair<std::uint64_t, std::uint64_t> variable(std::string_view name) const;

  /// Decodes an entry for this module's addresses; `options` without variable_addresses.
  std::shared_ptr<const Program> program(std::string_view entry, decode::DecodeOptions options) const;

 private:
  void allocate();
  void write_initial(const ptx::Variable& variable, std::uint64_t address);
  std::uint64_t address_of(const ptx::Relocation& relocation, const ptx::Variable& variable) const;

  std::shared_ptr<const ptx::Module> module_;
  GlobalMemory& memory_;
  std::vector<std::uint64_t> addresses_;  ///< of Module::variables; 0 for what has no global memory
};

}  // namespace flashgate::gpu
