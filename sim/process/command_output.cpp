#include "sim/process/command_output.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "reference/error.h"
#include "sim/process/child_process.h"
#include "sim/process/pipe.h"
#include "sim/process/plain_line.h"

namespace flashgate::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostErrorText = 4096;

/// One run of a program: its pipes, and the end of it if it is left early.
class Run
{
 public:
  Run(const std::vector<std::string>& argv, const std::vector<std::string>& environment, const CommandLimits& limits)
      : name_(argv.front()),
        limits_(limits),
        deadline_(Clock::now() + std::chrono::seconds(limits.seconds)),
        child_({argv,
                our_environment(environment),
                "",
                {{input_.theirs.get(), STDIN_FILENO},
                 {output_.theirs.get(), STDOUT_FILENO},
                 {error_.theirs.get(), STDERR_FILENO}}})
  {
    input_.theirs.reset();
    output_.theirs.reset();
    error_.theirs.reset();
  }

  CommandResult finish(const std::string& input)
  {
    std::size_t written = 0;
    while (output_.ours || error_.ours) {
      if (written == input.size()) input_.ours.reset();
      wait_for_pipes();
      if (input_.ours) write_some(input, written);
      read_some(output_.ours, output_text_, limits_.output_bytes);
      read_some(error_.ours, error_text_, kMostErrorText);
    }
    return {status(), std::move(output_text_), plain_line(error_text_.substr(0, error_text_.find('\n')), 400)};
  }

 private:
  void wait_for_pipes()
  {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    if (left <= 0) throw_too_slow();
    pollfd fds[3] = {{output_.ours.get(), POLLIN, 0}, {error_.ours.get(), POLLIN, 0}, {input_.ours.get(), POLLOUT, 0}};
    poll(fds, 3, static_cast<int>(left));
    output_ready_ = fds[0].revents != 0;
    error_ready_ = fds[1].revents != 0;
    input_ready_ = fds[2].revents != 0;
  }

  void write_some(const std::string& input, std::size_t& written)
  {
    if (!input_ready_) return;
    const ssize_t count =
        send(input_.ours.get(), input.data() + written, input.size() - written, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) written += static_cast<std::size_t>(count);
    if (count < 0 && errno != EAGAIN && errno != EINTR) written = input.size();  // it doesn't want the rest
  }

  void read_some(UniqueFd& from, std::string& into, std::size_t most)
  {
    const bool ready = &from == &output_.ours ? output_ready_ : error_ready_;
    if (!from || !ready) return;
    char buffer[1 << 16];
    const ssize_t count = read(from.get(), buffer, sizeof buffer);
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return from.reset();
    if (count < 0) return;
    const std::size_t room = most - std::min(most, into.size());
    into.append(buffer, std::min(room, static_cast<std::size_t>(count)));
    if (&from == &output_.ours && static_cast<std::size_t>(count) > room)
      throw Error(name_ + " wrote more than " + std::to_string(most >> 20) + " MiB");
  }

  /// It has closed its output; what it does afterwards counts against the limit too.
  int status()
  {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
    const std::optional<Ending> ending = child_.wait(std::max(left, std::chrono::milliseconds(1)));
    if (!ending) throw_too_slow();
    return ending->status();
  }

  [[noreturn]] void throw_too_slow() const
  {
    throw Error(name_ + " took longer than " + std::to_string(limits_.seconds) + " s");
  }

  std::string name_;
  CommandLimits limits_;
  Clock::time_point deadline_;
  FdPair input_ = make_socket_pair(), output_ = make_output_pipe(), error_ = make_output_pipe();
  ChildProcess child_;
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
