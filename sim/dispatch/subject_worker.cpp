#include "sim/dispatch/subject_worker.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/error.h"
#include "sim/checkout/command_output.h"
#include "sim/checkout/plain_line.h"
#include "sim/dispatch/subject_protocol.h"

namespace flashgate::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLogKept = 64 << 10;
constexpr int kProtocolFd = 3;

struct FdPair
{
  UniqueFd ours, theirs;
};

FdPair make_socket()
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(std::string("can't make a socket: ") + std::strerror(errno));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

FdPair make_log_pipe()
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw Error(std::string("can't make a pipe: ") + std::strerror(errno));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// The shell sets the limits on itself, then becomes the program.
std::vector<std::string> limited(const WorkerSettings& settings)
{
  const std::string limits = "ulimit -c 0; ulimit -v " + std::to_string(settings.memory_bytes >> 10) + "; ulimit -t " +
                             std::to_string(settings.cpu_seconds) + "; ulimit -f 65536; ulimit -n 256; exec \"$@\"";
  std::vector<std::string> argv{"/bin/sh", "-c", limits, "subject"};
  if (settings.offline && network_can_be_taken_away())
    argv.insert(argv.end(), {"unshare", "--map-current-user", "--net", "--"});
  argv.insert(argv.end(), settings.argv.begin(), settings.argv.end());
  return argv;
}

std::vector<std::string> environment_of(const WorkerSettings& settings)
{
  const char* path = std::getenv("PATH");
  std::vector<std::string> all{std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path),
                               "HOME=" + settings.folder, "TMPDIR=" + settings.folder, "LANG=C.UTF-8",
                               "FLASHGATE_PROTOCOL_FD=" + std::to_string(kProtocolFd)};
  all.insert(all.end(), settings.environment.begin(), settings.environment.end());
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts)
{
  std::vector<char*> result;
  for (const std::string& text : texts)
    result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

pid_t spawn(const WorkerSettings& settings, int socket, int log)
{
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, kProtocolFd);
  posix_spawn_file_actions_addchdir_np(&actions, settings.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const std::vector<std::string> argv = limited(settings), environment = environment_of(settings);
  pid_t pid = 0;
  const int failure =
      posix_spawn(&pid, argv[0].c_str(), &actions, &attributes, pointers(argv).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) throw Error("can't start the subject: " + std::string(std::strerror(failure)));
  return pid;
}

/// Descriptors below 4 are overwritten in the child in an order of its own; ours must not be among them.
UniqueFd above_protocol_fd(UniqueFd fd)
{
  if (fd.get() > kProtocolFd) return fd;
  const int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, kProtocolFd + 1);
  if (moved < 0) throw Error(std::string("can't duplicate a descriptor: ") + std::strerror(errno));
  return UniqueFd(moved);
}

}  // namespace

bool network_can_be_taken_away()
{
  static const bool can = [] {
    try {
      return run_command({"unshare", "--map-current-user", "--net", "--", "true"}, "", {}, {1 << 16, 10}).status == 0;
    } catch (const Error&) {
      return false;
    }
  }();
  return can;
}

SubjectWorker::SubjectWorker(const WorkerSettings& settings) : settings_(settings), patience_(settings.start_patience)
{
  FdPair socket = make_socket(), log = make_log_pipe();
  const UniqueFd theirs = above_protocol_fd(std::move(socket.theirs));
  const UniqueFd their_log = above_protocol_fd(std::move(log.theirs));
  fcntl(their_log.get(), F_SETFL, 0);  // their end blocks, as a program expects of its output
  pid_ = spawn(settings_, theirs.get(), their_log.get());
  socket_ = std::move(socket.ours);
  output_ = std::move(log.ours);
}

SubjectWorker::~SubjectWorker()
{
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void SubjectWorker::send(const std::string& text)
{
  const Clock::time_point deadline = Clock::now() + patience_;
  for (std::size_t sent = 0; sent < text.size();) {
    wait(deadline, /*to_write=*/true);
    if (closed_) throw WorkerFailure(ending());
    if (!socket_writable_) continue;
    const ssize_t count = ::send(socket_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) sent += static_cast<std::size_t>(count);
    if (count < 0 && errno != EAGAIN && errno != EINTR) throw WorkerFailure(ending());
  }
}

std::string SubjectWorker::receive()
{
  const Clock::time_point deadline = Clock::now() + patience_;
  while (true) {
    const std::size_t end = received_.find('\n', searched_);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      searched_ = 0;
      return line;
    }
    searched_ = received_.size();
    if (received_.size() > kLongestLine)
      throw WorkerFailure("wrote a line of more than " + std::to_string(kLongestLine >> 20) + " MiB");
    if (closed_) throw WorkerFailure(ending());
    wait(deadline, /*to_write=*/false);
  }
}

/// Waits for the socket, and reads what is there of socket and log.
void SubjectWorker::wait(Clock::time_point deadline, bool to_write)
{
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  if (left <= 0) throw WorkerFailure("gave no answer for " + std::to_string(patience_.count()) + " ms");
  pollfd fds[2] = {{socket_.get(), static_cast<short>(to_write ? POLLIN | POLLOUT : POLLIN), 0},
                   {output_.get(), POLLIN, 0}};
  poll(fds, 2, static_cast<int>(left));
  socket_writable_ = (fds[0].revents & POLLOUT) != 0;
  if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_socket();
  if (fds[1].revents != 0) read_log();
}

void SubjectWorker::read_socket()
{
  if (received_.size() > kLongestLine) return;  // the rest stays where it is until this is taken
  char buffer[1 << 16];
  const ssize_t count = recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (count > 0) received_.append(buffer, static_cast<std::size_t>(count));
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) closed_ = true;
}

void SubjectWorker::read_log()
{
  char buffer[1 << 16];
  const ssize_t count = read(output_.get(), buffer, sizeof buffer);
  if (count == 0) output_.reset();
  if (count > 0) log_.append(buffer, std::min(kLogKept - log_.size(), static_cast<std::size_t>(count)));
}

/// How the worker ended, with the last thing it printed.
std::string SubjectWorker::ending()
{
  if (output_) read_log();
  int status = 0;
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
  pid_t ended = 0;
  while ((ended = waitpid(pid_, &status, WNOHANG)) == 0 && Clock::now() < deadline)
    poll(nullptr, 0, 5);
  std::string how = "closed the connection";
  if (ended == pid_) {
    kill(-pid_, SIGKILL);  // what it started and left behind
    pid_ = 0;
    how = WIFSIGNALED(status) ? "died of signal " + std::to_string(WTERMSIG(status))
                              : "ended with status " + std::to_string(WEXITSTATUS(status));
  }
  std::string_view last = log_;
  while (last.ends_with('\n'))
    last.remove_suffix(1);
  last = last.substr(last.rfind('\n') + 1);  // npos + 1 is 0
  if (!last.empty()) how += ": " + plain_line(last, 200);
  return how;
}

}  // namespace flashgate::sim
