#include "sim/process/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "reference/error.h"

namespace flashgate::sim {

ScratchFolder::ScratchFolder()
{
  std::string name = (std::filesystem::temp_directory_path() / "flashgate-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error(name + ": can't be made: " + std::strerror(errno));
  path_ = name;
}

ScratchFolder::~ScratchFolder()
{
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void ScratchFolder::write(std::string_view name, std::string_view text) const
{
  const std::filesystem::path file = path_ / name;
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw Error(file.string() + ": can't be written");
}

}  // namespace flashgate::sim
