#include "sim/dispatch/subject_worker.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "reference/error.h"
#include "sim/dispatch/subject_protocol.h"
#include "sim/process/command_output.h"
#include "sim/process/pipe.h"
#include "sim/process/plain_line.h"

namespace flashgate::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLogKept = 64 << 10;
constexpr int kProtocolFd = 3;

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
  FdPair socket = make_socket_pair(), log = make_output_pipe();
  const std::vector<ChildSettings::Descriptor> descriptors{
      {log.theirs.get(), STDOUT_FILENO}, {log.theirs.get(), STDERR_FILENO}, {socket.theirs.get(), kProtocolFd}};
  child_.emplace(ChildSettings{limited(settings_), environment_of(settings_), settings_.folder, descriptors});
  socket_ = std::move(socket.ours);
  output_ = std::move(log.ours);
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
  const std::optional<Ending> ending = child_->wait(std::chrono::seconds(1));
  std::string how = ending ? ending->text() : "closed the connection";
  std::string_view last = log_;
  while (last.ends_with('\n'))
    last.remove_suffix(1);
  last = last.substr(last.rfind('\n') + 1);  // npos + 1 is 0
  if (!last.empty()) how += ": " + plain_line(last, 200);
  return how;
}

}  // namespace flashgate::sim
