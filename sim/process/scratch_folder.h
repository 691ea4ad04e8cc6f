#pragma once

#include <filesystem>
#include <string_view>

namespace flashgate::sim {

/// A new folder, for its owner only, in the system's folder for temporary files; removed with its owner.
class ScratchFolder
{
 public:
  /// Error if it can't be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file in it. Error if that fails.
  void write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace flashgate::sim
