#include "tests/gpu/programs/fault_marks.h"

#include <filesystem>
#include <fstream>
#include <regex>

#include "reference/error.h"

namespace flashgate::gpu::programs {

std::vector<FaultMark> marks_in_line(const std::string& file, int line, const std::string& text)
{
  static const std::regex pattern("(FAULT|ALSO): ([a-z-]+(, [a-z-]+)*)");
  static const std::regex name("[a-z-]+");
  std::vector<FaultMark> marks;
  const std::size_t comment = text.find("//");
  if (comment == std::string::npos) return marks;
  const std::sregex_iterator end;
  for (std::sregex_iterator group(text.begin() + comment, text.end(), pattern); group != end; ++group) {
    const std::string checks = (*group)[2];
    for (std::sregex_iterator check(checks.begin(), checks.end(), name); check != end; ++check) {
      marks.push_back({file, line, check->str(), (*group)[1] == "ALSO"});
    }
  }
  return marks;
}

namespace {

void append_marks(const std::filesystem::path& path, std::vector<FaultMark>& marks)
{
  std::ifstream in(path);
  if (!in) throw Error(path.string() + ": can't be read");
  int line = 0;
  for (std::string text; std::getline(in, text);) {
    for (FaultMark& mark : marks_in_line(path.filename().string(), ++line, text))
      marks.push_back(std::move(mark));
  }
}

}  // namespace

std::vector<FaultMark> marks_of_program(const std::string& folder, const std::string& name)
{
  const std::filesystem::path source = std::filesystem::path(folder) / (name + ".cu");
  std::vector<FaultMark> marks;
  append_marks(source, marks);
  std::filesystem::path header = source;
  header.replace_extension(".cuh");
  if (std::filesystem::exists(header)) append_marks(header, marks);
  return marks;
}

}  // namespace flashgate::gpu::programs
