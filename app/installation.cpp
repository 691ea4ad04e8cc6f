#include "app/installation.h"

#include <initializer_list>
#include <optional>
#include <system_error>

#include "reference/error.h"

namespace flashgate::app {
namespace {

namespace fs = std::filesystem;

/// The first of these that exists, each relative to the folder of the running program.
std::optional<fs::path> beside_program(std::initializer_list<const char*> relatives)
{
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (failure) return std::nullopt;
  for (const char* relative : relatives) {
    const fs::path path = (program.parent_path() / relative).lexically_normal();
    if (fs::exists(path, failure)) return path;
  }
  return std::nullopt;
}

}  // namespace

std::string default_suites_folder()
{
  const auto folder = beside_program({"../share/flashgate/suites", "../../suites", "../../../suites"});
  return folder ? folder->string() : "suites";
}

fs::path kernels_folder()
{
  if (const auto file =
          beside_program({"../share/flashgate/kernels/attention_steps.ptx", "gpu/kernels/attention_steps.ptx"}))
    return file->parent_path();
  throw Error("the PTX of the kernels is not beside the program: this flashgate was built where no nvcc was found");
}

fs::path emulation_runtime()
{
#ifdef FLASHGATE_CUDART
  if (const auto library = beside_program({"runtime/" FLASHGATE_CUDART, "../lib/flashgate/" FLASHGATE_CUDART}))
    return *library;
  throw Error("emulate: the stand-in runtime " FLASHGATE_CUDART " is not beside the program; build the target cudart");
#else
  throw Error("emulate: this flashgate was built where no CUDA toolkit was found; flashgate doctor says how to get it");
#endif
}

}  // namespace flashgate::app
