#include "app/installation.h"

#include <filesystem>
#include <system_error>

namespace flashgate::app {

std::string default_suites_folder()
{
  std::error_code failure;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  const std::filesystem::path folder = program.parent_path();
  if (failure) return "suites";
  for (const char* relative : {"../share/flashgate/suites", "../../suites", "../../../suites"}) {
    const std::filesystem::path suites = (folder / relative).lexically_normal();
    if (std::filesystem::is_directory(suites, failure)) return suites.string();
  }
  return "suites";
}

}  // namespace flashgate::app
