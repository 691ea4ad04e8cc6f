#include "gpu/attention/kernel_library.h"

#include <fstream>

#include <fmt/format.h>

#include "gpu/kernels/attention_launch.h"
#include "reference/error.h"

namespace flashgate::gpu::attention {

KernelLibrary load_kernels(const std::string& folder)
{
  KernelLibrary library;
  for (const std::string& name : kernels::module_names()) {
    const std::string path = fmt::format("{}/{}.ptx", folder, name);
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) throw Error(fmt::format("{}: no such file, expected the PTX of a kernel", path));
    std::string& text = library[name];
    text.resize(static_cast<std::size_t>(in.tellg()));
    in.seekg(0);
    if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
      throw Error(fmt::format("{}: can't be read", path));
  }
  return library;
}

const std::string& module_text(const KernelLibrary& library, std::string_view module)
{
  const auto found = library.find(module);
  if (found == library.end()) throw Error(fmt::format("no PTX module '{}' among the kernels", module));
  return found->second;
}

}  // namespace flashgate::gpu::attention
