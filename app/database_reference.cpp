#include "app/database_reference.h"

#include <filesystem>

#include <fmt/format.h>

#include "reference/error.h"

namespace flashgate::app {

OpenedRun open_run(const std::string& reference)
{
  std::error_code ignored;
  const bool is_file = std::filesystem::exists(reference, ignored);  // a file's name may have a # in it
  const std::size_t hash = is_file ? std::string::npos : reference.rfind('#');
  const std::string file = reference.substr(0, hash);
  const std::string name = hash == std::string::npos ? "" : reference.substr(hash + 1);
  matrix::Store store = matrix::Store::open_read_only(file);
  const auto run = store.find_run(name);
  if (!run)
    throw Error(name.empty() ? fmt::format("{}: has no run yet", file) : fmt::format("{}: has no run {}", file, name));
  return {std::move(store), *run};
}

}  // namespace flashgate::app
