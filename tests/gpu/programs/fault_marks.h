#pragma once

#include <string>
#include <vector>

namespace flashgate::gpu::programs {

/// A comment in a program's source that names a check: `// FAULT: race-shared ALSO: uninit-shared, hang`.
struct FaultMark
{
  std::string file;  ///< without its folder
  int line = 0;
  std::string check;
  bool also = false;  ///< may be reported at this line; the program is not judged by it

  bool operator==(const FaultMark&) const = default;
};

/// The marks of one line of text.
std::vector<FaultMark> marks_in_line(const std::string& file, int line, const std::string& text);

/// The marks of NAME.cu, and of NAME.cuh if there is one, in `folder`. Throws Error if there is no NAME.cu.
std::vector<FaultMark> marks_of_program(const std::string& folder, const std::string& name);

}  // namespace flashgate::gpu::programs
