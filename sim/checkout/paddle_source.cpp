#include "sim/checkout/paddle_source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "reference/error.h"
#include "sim/process/plain_line.h"

namespace flashgate::sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFunctional[] = {"python/paddle/nn/functional/", "paddle/nn/functional/", "nn/functional/"};
constexpr std::string_view kDefinition = "def flashmask_attention(";

/// The usual file first, so that no other one need be read.
void sort_paths(std::vector<std::string>& paths)
{
  const auto is_usual = [](const std::string& path) { return path.ends_with("/flash_attention.py"); };
  std::sort(paths.begin(), paths.end());
  std::stable_partition(paths.begin(), paths.end(), is_usual);
}

std::optional<SourceFile> find_in_folder(const fs::path& folder)
{
  for (const char* functional : kFunctional) {
    std::error_code ignored;
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(folder / functional, ignored))
      if (entry.is_regular_file() && entry.path().extension() == ".py")
        paths.push_back(functional + entry.path().filename().string());
    sort_paths(paths);
    for (const std::string& path : paths) {
      std::ifstream in(folder / path, std::ios::binary);
      SourceFile file{path, std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())};
      if (file.text.find(kDefinition) != std::string::npos) return file;
    }
  }
  return std::nullopt;
}

std::optional<SourceFile> find_in_commit(const GitRepository& repository, const std::string& commit)
{
  std::vector<std::string> paths = repository.paths_at(commit, ".py");
  std::erase_if(paths, [](const std::string& path) {
    return std::none_of(std::begin(kFunctional), std::end(kFunctional),
                        [&](const char* functional) { return path.starts_with(functional); });
  });
  sort_paths(paths);
  for (const std::string& path : paths)
    if (std::string text = repository.file_at(commit, path); text.find(kDefinition) != std::string::npos)
      return SourceFile{path, std::move(text)};
  return std::nullopt;
}

}  // namespace

PaddleSource find_paddle_source(const CheckoutPlace& place)
{
  std::string revision = place.folder;
  std::optional<SourceFile> file;
  if (place.ref.empty()) {
    file = find_in_folder(place.folder);
  } else {
    const GitRepository repository(place.folder);
    const Commit commit = repository.commit(place.ref);
    revision = commit.id.substr(0, 12) + " " + commit.subject;
    file = find_in_commit(repository, commit.id);
  }
  if (!file)
    throw Error(plain_line(place.folder + (place.ref.empty() ? "" : "@" + place.ref), 200) +
                ": no file of python/paddle/nn/functional or paddle/nn/functional defines flashmask_attention");
  return {std::move(*file), std::move(revision)};
}

}  // namespace flashgate::sim
