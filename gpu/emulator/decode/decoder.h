#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "gpu/emulator/isa/core.h"
#include "gpu/emulator/program.h"

namespace flashgate::gpu::decode {

struct DecodeOptions
{
  isa::Core core = isa::best_core();
  /// True: a slot for every virtual register, memory instructions that consult the checks. False: registers share slots
  /// and only bounds are checked; faster, for launches without checks.
  bool checked = true;
  /// Addresses of Module::variables (0 for those in shared memory), see LoadedModule. Must outlive the call.
  std::span<const std::uint64_t> variable_addresses;
};

/// Makes an entry of a module ready for launch(): device functions inlined, operands resolved, handlers found.
///
/// Throws Error where there is no such entry, and one Error for all instructions that are not supported: "file.cu:12
/// (ptx line 345): unsupported instruction `...`; and 3 more kinds: ...". Any number of threads may decode one module.
std::shared_ptr<const Program> decode(const std::shared_ptr<const ptx::Module>& module, std::string_view entry,
                                      const DecodeOptions& options);

}  // namespace flashgate::gpu::decode
