#include "tests/app/run_program.h"

#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/temporary_folder.h"

namespace flashgate::tests {
namespace {

std::string read_all(const std::string& path)
{
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

[[noreturn]] void become_program(const std::vector<std::string>& arguments, const std::string& folder,
                                 const std::string& out, const std::string& err)
{
  std::vector<char*> argv{const_cast<char*>("flashgate")};
  for (const std::string& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  dup2(open(out.c_str(), O_CREAT | O_WRONLY, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
  if (chdir(folder.c_str()) == 0) execv(FLASHGATE_PROGRAM, argv.data());
  _exit(127);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, const std::string& folder)
{
  const TemporaryFolder captured;
  const pid_t child = fork();
  if (child == 0) become_program(arguments, folder, captured.file("out"), captured.file("err"));
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_all(captured.file("out")),
          read_all(captured.file("err"))};
}

}  // namespace flashgate::tests
