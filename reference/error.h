#pragma once

#include <stdexcept>
#include <string>

namespace flashgate {

/// The one exception type of flashgate: something that kept a result from being had (bad input, a file, SQLite, a child
/// process). A wrong answer of a subject or a kernel is never an Error, it is a verdict.
///
/// what() is one line for a person: it names the file and line where there is one, and what was expected.
class Error : public std::runtime_error
{
 public:
  explicit Error(const std::string& line) : std::runtime_error(line) {}
};

}  // namespace flashgate
