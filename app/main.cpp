#include <cstdio>
#include <exception>

#include "app/command_line.h"
#include "matrix/runner.h"

using flashgate::app::CommandLine;

namespace {

int cannot_run(const char* why)
{
  std::fprintf(stderr, "flashgate: %s\n", why);
  return static_cast<int>(flashgate::matrix::ExitCode::cannot_run);
}

}  // namespace

/// The verbs are listed in app/command_line.cpp; each is a function in a file of its own.
int main(int argc, char** argv)
{
  try {
    const CommandLine line = flashgate::app::parse_command_line(argc, argv);
    if (line.verb == nullptr) return line.exit_code;
    return line.verb->run(line);
  } catch (const std::exception& error) {
    return cannot_run(error.what());
  }
}
