#include "sim/checkout/command_output.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/error.h"
#include "sim/checkout/plain_line.h"
#include "sim/checkout/unique_fd.h"

extern char** environ;

namespace flashgate::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostErrorText = 4096;

struct Pipe
{
  UniqueFd read, write;
};

Pipe make_pipe()
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("can't make a pipe: ") + std::strerror(errno));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// A pipe that can be written without a signal when its reader has gone.
Pipe make_input()
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(std::string("can't make a socket: ") + std::strerror(errno));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<char*> pointers(const std::vector<std::string>& texts)
{
  std::vector<char*> result;
  for (const std::string& text : texts)
    result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> our_environment_and(const std::vector<std::string>& more)
{
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry)
    all.emplace_back(*entry);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// One run of a program: its pipes, and the end of it if it is left early.
class Run
{
 public:
  Run(const std::vector<std::string>& argv, const std::vector<std::string>& environment, const CommandLimits& limits)
      : name_(argv.front()), limits_(limits), deadline_(Clock::now() + std::chrono::seconds(limits.seconds))
  {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input_.read.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output_.write.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, error_.write.get(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const std::vector<std::string> all = our_environment_and(environment);
    const int failure =
        posix_spawnp(&pid_, argv[0].c_str(), &actions, &attributes, pointers(argv).data(), pointers(all).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0) throw Error("can't start " + name_ + ": " + std::strerror(failure));
    input_.read.reset();
    output_.write.reset();
    error_.write.reset();
  }

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  ~Run()
  {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  CommandResult finish(const std::string& input)
  {
    std::size_t written = 0;
    while (output_.read || error_.read) {
      if (written == input.size()) input_.write.reset();
      wait_for_pipes();
      if (input_.write) write_some(input, written);
      read_some(output_.read, output_text_, limits_.output_bytes);
      read_some(error_.read, error_text_, kMostErrorText);
    }
    return {reap(), std::move(output_text_), plain_line(error_text_.substr(0, error_text_.find('\n')), 400)};
  }

 private:
  void wait_for_pipes()
  {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    if (left <= 0) throw Error(name_ + " took longer than " + std::to_string(limits_.seconds) + " s");
    pollfd fds[3] = {{output_.read.get(), POLLIN, 0}, {error_.read.get(), POLLIN, 0}, {input_.write.get(), POLLOUT, 0}};
    poll(fds, 3, static_cast<int>(left));
    output_ready_ = fds[0].revents != 0;
    error_ready_ = fds[1].revents != 0;
    input_ready_ = fds[2].revents != 0;
  }

  void write_some(const std::string& input, std::size_t& written)
  {
    if (!input_ready_) return;
    const ssize_t count =
        send(input_.write.get(), input.data() + written, input.size() - written, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) written += static_cast<std::size_t>(count);
    if (count < 0 && errno != EAGAIN && errno != EINTR) written = input.size();  // it doesn't want the rest
  }

  void read_some(UniqueFd& from, std::string& into, std::size_t most)
  {
    const bool ready = &from == &output_.read ? output_ready_ : error_ready_;
    if (!from || !ready) return;
    char buffer[1 << 16];
    const ssize_t count = read(from.get(), buffer, sizeof buffer);
    if (count == 0 || (count < 0 && errno != EINTR)) return from.reset();
    if (count < 0) return;
    const std::size_t room = most - std::min(most, into.size());
    into.append(buffer, std::min(room, static_cast<std::size_t>(count)));
    if (&from == &output_.read && static_cast<std::size_t>(count) > room)
      throw Error(name_ + " wrote more than " + std::to_string(most >> 20) + " MiB");
  }

  int reap()
  {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  std::string name_;
  CommandLimits limits_;
  Clock::time_point deadline_;
  Pipe input_ = make_input(), output_ = make_pipe(), error_ = make_pipe();
  pid_t pid_ = 0;
  bool output_ready_ = false, error_ready_ = false, input_ready_ = false;
  std::string output_text_, error_text_;
};

}  // namespace

CommandResult run_command(const std::vector<std::string>& argv, const std::string& input,
                          const std::vector<std::string>& environment, const CommandLimits& limits)
{
  return Run(argv, environment, limits).finish(input);
}

}  // namespace flashgate::sim
