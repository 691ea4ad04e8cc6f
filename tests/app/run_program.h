#pragma once

#include <string>
#include <vector>

namespace flashgate::tests {

struct ProgramResult
{
  int exit_code = -1;
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// Runs the flashgate program of this build, without a shell, in `folder`, and waits for it.
ProgramResult run_program(const std::vector<std::string>& arguments, const std::string& folder = ".");

}  // namespace flashgate::tests
