#include "reports/render_svg.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "matrix/texts.h"

extern char** environ;

namespace flashgate::reports {
namespace {

constexpr int kTimedOut = 124;  // exit codes of timeout(1)
constexpr int kKilled = 137;
constexpr int kNotFound = 127;

struct CloseFile
{
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

/// posix_spawn's list of what the child does with its file descriptors.
class FileActions
{
 public:
  explicit FileActions(int error_output)
  {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, error_output, STDERR_FILENO);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::vector<char*> pointers(std::vector<std::string>& arguments)
{
  std::vector<char*> result;
  for (std::string& argument : arguments)
    result.push_back(argument.data());
  result.push_back(nullptr);
  return result;
}

int wait_for(pid_t child)
{
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string first_line(std::FILE* file)
{
  char line[200] = {};
  std::rewind(file);
  if (std::fgets(line, sizeof line, file) == nullptr) return {};
  return matrix::printable(matrix::trim(line));
}

std::string failure_reason(int exit_code, std::chrono::milliseconds limit, std::FILE* error_output)
{
  if (exit_code == kNotFound) return "not found";
  if (exit_code == kTimedOut || exit_code == kKilled)
    return fmt::format("timed out after {:g} s", static_cast<double>(limit.count()) / 1000);
  return fmt::format("exit code {}: {}", exit_code, first_line(error_output));
}

/// Runs a command to its end; the reason why it failed, empty if it did not. The errors go to a file, not to a pipe
/// that someone would have to drain.
std::string run_command(std::vector<std::string> arguments, std::chrono::milliseconds limit)
{
  const TemporaryFile error_output(std::tmpfile());
  if (error_output == nullptr) return std::string("no temporary file: ") + std::strerror(errno);
  const FileActions actions(fileno(error_output.get()));
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0].c_str(), actions.get(), nullptr, pointers(arguments).data(), environ);
  if (error != 0) return arguments[0] + ": " + std::strerror(error);
  const int exit_code = wait_for(child);
  return exit_code == 0 ? "" : failure_reason(exit_code, limit, error_output.get());
}

/// timeout(1) gives the command a process group of its own and kills all of it.
std::vector<std::string> command(const std::string& tool, const std::filesystem::path& dot_file,
                                 const std::filesystem::path& svg, std::chrono::milliseconds limit)
{
  std::vector<std::string> arguments{"timeout", "-k", "1",
                                     fmt::format("{:.3f}", static_cast<double>(limit.count()) / 1000), tool};
  if (tool == "dot") arguments.insert(arguments.end(), {"-Gnslimit=2", "-Gmaxiter=50"});
  // Absolute, so that no file name can be taken for an option.
  arguments.insert(arguments.end(), {"-Tsvg", "-o", absolute(svg).string(), absolute(dot_file).string()});
  return arguments;
}

}  // namespace

Rendering render_svg(const std::filesystem::path& dot_file, const std::filesystem::path& svg,
                     std::chrono::milliseconds limit)
{
  std::filesystem::path part = svg;
  part += ".part";
  std::error_code ignored;
  Rendering rendering;
  for (const std::string tool : {"dot", "sfdp"}) {
    std::string reason = run_command(command(tool, dot_file, part, limit), limit);
    if (reason.empty() && !(std::filesystem::file_size(part, ignored) > 0 && !ignored)) reason = "wrote nothing";
    if (reason.empty()) {
      std::error_code error;
      std::filesystem::rename(part, svg, error);
      if (!error) return {true, tool, rendering.reason};
      reason = error.message();
    }
    rendering.reason += (rendering.reason.empty() ? "" : "; ") + tool + ": " + reason;
    std::filesystem::remove(part, ignored);
  }
  return rendering;
}

}  // namespace flashgate::reports
