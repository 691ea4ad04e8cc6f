#include "sim/process/process_state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <sys/syscall.h>

#include "sim/process/plain_line.h"

namespace flashgate::sim {
namespace {

namespace fs = std::filesystem;

/// The calls in which programs wait.
constexpr auto kSystemCalls = std::to_array<std::pair<int, std::string_view>>({{SYS_read, "read"},
                                                                               {SYS_write, "write"},
                                                                               {SYS_readv, "readv"},
                                                                               {SYS_writev, "writev"},
                                                                               {SYS_pread64, "pread"},
                                                                               {SYS_pwrite64, "pwrite"},
                                                                               {SYS_ppoll, "ppoll"},
                                                                               {SYS_pselect6, "pselect"},
                                                                               {SYS_epoll_pwait, "epoll_pwait"},
#ifdef __x86_64__
                                                                               {SYS_poll, "poll"},
                                                                               {SYS_select, "select"},
                                                                               {SYS_epoll_wait, "epoll_wait"},
                                                                               {SYS_pause, "pause"},
                                                                               {SYS_flock, "flock"},
#endif
                                                                               {SYS_nanosleep, "nanosleep"},
                                                                               {SYS_clock_nanosleep, "clock_nanosleep"},
                                                                               {SYS_futex, "futex"},
                                                                               {SYS_wait4, "wait4"},
                                                                               {SYS_waitid, "waitid"},
                                                                               {SYS_recvfrom, "recvfrom"},
                                                                               {SYS_recvmsg, "recvmsg"},
                                                                               {SYS_sendto, "sendto"},
                                                                               {SYS_sendmsg, "sendmsg"},
                                                                               {SYS_accept, "accept"},
                                                                               {SYS_accept4, "accept4"},
                                                                               {SYS_connect, "connect"},
                                                                               {SYS_fsync, "fsync"},
                                                                               {SYS_fdatasync, "fdatasync"},
                                                                               {SYS_fcntl, "fcntl"},
                                                                               {SYS_openat, "openat"},
                                                                               {SYS_ioctl, "ioctl"},
                                                                               {SYS_rt_sigsuspend, "sigsuspend"},
                                                                               {SYS_rt_sigtimedwait, "sigtimedwait"},
                                                                               {SYS_msgrcv, "msgrcv"},
                                                                               {SYS_semop, "semop"}});

std::string read_file(const fs::path& path)
{
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  while (text.ends_with('\n'))
    text.pop_back();
  return text;
}

/// From "NUMBER ARGUMENTS..." or "running".
std::string system_call(const std::string& text)
{
  const std::string number = text.substr(0, text.find(' '));
  int value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || value < 0) return {};
  for (const auto& [known, name] : kSystemCalls)
    if (known == value) return std::string(name);
  return number;
}

/// Field `index` (from 1, as proc(5) counts) of a stat line; those up to 2 are not to be had so.
std::string stat_field(const std::string& stat, int index)
{
  std::size_t at = stat.rfind(')');
  for (int field = 2; field < index && at != std::string::npos; ++field)
    at = stat.find(' ', at + 1);
  if (at == std::string::npos) return {};
  return stat.substr(at + 1, stat.find(' ', at + 1) - at - 1);
}

long long number_of(const std::string& text)
{
  long long value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

ThreadState read_thread(const fs::path& folder)
{
  const std::string stat = read_file(folder / "stat");
  ThreadState thread;
  thread.id = static_cast<pid_t>(number_of(folder.filename().string()));
  thread.name = plain_line(read_file(folder / "comm"), 64);
  const std::string state = stat_field(stat, 3);
  if (!state.empty()) thread.state = state[0];
  thread.wait_channel = read_file(folder / "wchan");
  if (thread.wait_channel == "0") thread.wait_channel.clear();
  thread.system_call = system_call(read_file(folder / "syscall"));
  thread.kernel_stack = read_file(folder / "stack");
  thread.cpu_ticks = number_of(stat_field(stat, 14)) + number_of(stat_field(stat, 15));
  return thread;
}

std::string command_line(const fs::path& folder)
{
  std::string text = read_file(folder / "cmdline");
  while (text.ends_with('\0'))
    text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return plain_line(text, 200);
}

}  // namespace

std::vector<ProcessState> read_process_states(const std::vector<pid_t>& pids)
{
  std::vector<ProcessState> states;
  for (const pid_t pid : pids) {
    const fs::path folder = fs::path("/proc") / std::to_string(pid);
    ProcessState state{pid, command_line(folder), {}};
    std::error_code ended;
    for (const fs::directory_entry& task : fs::directory_iterator(folder / "task", ended))
      state.threads.push_back(read_thread(task.path()));
    if (!state.threads.empty()) states.push_back(std::move(state));
  }
  return states;
}

std::string to_text(const ProcessState& process)
{
  std::string text = "process " + std::to_string(process.pid) + ": " + process.command + "\n";
  for (const ThreadState& thread : process.threads) {
    text += "  thread " + std::to_string(thread.id) + " " + thread.name + ": state " + thread.state;
    if (!thread.system_call.empty()) text += ", in system call " + thread.system_call;
    if (!thread.wait_channel.empty()) text += ", waits in " + thread.wait_channel;
    text += ", " + std::to_string(thread.cpu_ticks) + " ticks of processor time\n";
  }
  return text;
}

}  // namespace flashgate::sim
