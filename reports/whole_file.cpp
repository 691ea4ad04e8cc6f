#include "reports/whole_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "reference/error.h"

namespace flashgate::reports {
namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& path, const std::string& why)
{
  throw Error("cannot write " + path.string() + ": " + why);
}

/// Removes the part file unless it became the file.
struct PartFile
{
  std::filesystem::path path;
  ~PartFile()
  {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove(path, ignored);
  }
};

}  // namespace

void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write)
{
  PartFile part{path};
  part.path += ".part";
  errno = 0;
  std::ofstream out(part.path, std::ios::binary | std::ios::trunc);
  if (!out) {
    const std::string why = std::strerror(errno);
    part.path.clear();
    cannot_write(path, why);
  }
  write(out);
  out.close();
  if (!out) cannot_write(path, errno != 0 ? std::strerror(errno) : "write failed");
  std::error_code error;
  std::filesystem::rename(part.path, path, error);
  if (error) cannot_write(path, error.message());
  part.path.clear();
}

void write_whole_file(const std::filesystem::path& path, std::string_view text)
{
  write_whole_file(path, [&](std::ostream& out) { out << text; });
}

void make_folder(const std::filesystem::path& folder)
{
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) cannot_write(folder, error.message());
}

}  // namespace flashgate::reports
