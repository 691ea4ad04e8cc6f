#pragma once

#include <map>
#include <string>
#include <string_view>

namespace flashgate::gpu::attention {

/// PTX texts by the names that launch steps call modules by. Immutable once made; any thread may read it.
using KernelLibrary = std::map<std::string, std::string, std::less<>>;

/// Our own kernels, NAME.ptx each, from the folder that the build or the installation has them in. Throws Error naming
/// the first file that is missing.
KernelLibrary load_kernels(const std::string& folder);

/// The text of a module; throws Error if the library has none of that name.
const std::string& module_text(const KernelLibrary& library, std::string_view module);

}  // namespace flashgate::gpu::attention
