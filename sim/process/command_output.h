#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace flashgate::sim {

/// What may be asked of a program that is run to its end for its output.
struct CommandLimits
{
  std::size_t output_bytes = std::size_t{1} << 30;  ///< more is an Error
  int seconds = 60;                                 ///< longer is an Error
};

/// How a program ended.
struct CommandResult
{
  int status = 0;           ///< its exit status; 128 + the signal that ended it
  std::string output;       ///< all of its standard output
  std::string first_error;  ///< the first line of its standard error, printable, at most 400 bytes
};

/// Runs argv[0], found on PATH, with `input` as its standard input and `environment` (NAME=VALUE) added to ours, and
/// waits for it. Error if it can't be started or breaks a limit; it is then killed with its process group.
/// Thread rule: any thread.
CommandResult run_command(const std::vector<std::string>& argv, const std::string& input,
                          const std::vector<std::string>& environment, const CommandLimits& limits = {});

}  // namespace flashgate::sim
