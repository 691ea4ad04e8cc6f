#include "matrix/isolation/worker_process.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "matrix/isolation/message_bytes.h"
#include "matrix/isolation/worker.h"
#include "sim/process/native_stacks.h"
#include "sim/process/pipe.h"
#include "sim/process/process_state.h"

namespace flashgate::matrix {
namespace {

constexpr std::chrono::milliseconds kGoodbye{500};  ///< an idle worker ends in a few
constexpr std::size_t kLogTail = 8 * 1024;
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;  ///< so that a worker that floods starves nobody

sim::UniqueFd make_log()
{
  sim::UniqueFd log(memfd_create("flashgate-worker-log", MFD_CLOEXEC));
  if (!log) throw Error(std::string("can't make a log for a worker: ") + std::strerror(errno));
  return log;
}

/// In pages, as /proc tells; nothing of a process that has given up its memory or is gone.
struct Memory
{
  std::int64_t pages = 0, resident = 0;
};

Memory memory_of(pid_t pid)
{
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  Memory memory;
  file >> memory.pages >> memory.resident;
  return memory;
}

sim::ChildSettings settings_of(const IsolationOptions& options, int socket, int stages, int log)
{
  sim::ChildSettings settings;
  settings.argv = options.program;
  settings.argv.push_back(std::to_string(getpid()));
  settings.environment = sim::our_environment();
  settings.descriptors = {{socket, kWorkerSocket}, {stages, kWorkerStages}, {log, STDOUT_FILENO}, {log, STDERR_FILENO}};
  return settings;
}

}  // namespace

WorkerProcess::WorkerProcess(const IsolationOptions& options, sim::FdPair ends)
    : log_(make_log()),
      socket_(std::move(ends.ours)),
      child_(settings_of(options, ends.theirs.get(), stages_.descriptor(), log_.get()))
{
}

WorkerProcess::WorkerProcess(const IsolationOptions& options) : WorkerProcess(options, sim::make_socket_pair()) {}

WorkerProcess::~WorkerProcess()
{
  socket_.reset();
  child_.wait(kGoodbye);
}

void WorkerProcess::send(const ExecutionRequest& request)
{
  const std::string bytes = to_bytes(FrameType::request, to_payload(request));
  const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent != static_cast<ssize_t>(bytes.size())) throw ProtocolViolation("does not read its requests");
}

bool WorkerProcess::receive()
{
  std::array<char, 64 * 1024> buffer;
  for (std::size_t total = 0; total < kReadAtOnce;) {
    const ssize_t count = recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    reader_.feed({buffer.data(), static_cast<std::size_t>(count)});
    total += static_cast<std::size_t>(count);
    if (count < static_cast<ssize_t>(buffer.size())) return true;
  }
  return true;
}

bool WorkerProcess::is_dying() const { return memory_of(child_.pid()).pages == 0; }

std::int64_t WorkerProcess::resident_mib() const
{
  return memory_of(child_.pid()).resident * sysconf(_SC_PAGESIZE) >> 20;
}

std::string WorkerProcess::log_tail() const
{
  struct stat status = {};
  if (fstat(log_.get(), &status) != 0) return {};
  const off_t start = std::max<off_t>(0, status.st_size - static_cast<off_t>(kLogTail));
  std::string text(static_cast<std::size_t>(status.st_size - start), '\0');
  const ssize_t count = pread(log_.get(), text.data(), text.size(), start);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

std::string WorkerProcess::describe_tree() const
{
  std::string text;
  for (const sim::ProcessState& process : sim::read_process_states(child_.tree()))
    text += sim::to_text(process) + "stacks\n" + sim::to_text(sim::read_native_stacks(process.pid));
  return text;
}

}  // namespace flashgate::matrix
