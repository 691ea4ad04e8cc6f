#include "app/watch/python_hooks.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "reference/error.h"

namespace flashgate::app {

extern const std::string_view kWatchSiteCustomize;  // python/sitecustomize.py, embedded by the build
extern const std::string_view kWatchPytestPlugin;   // python/flashgate_watch.py

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience{300};

/// A real-time signal that nobody uses by a name. Unhandled it would kill, so only who handles it gets it.
int stacks_signal() { return SIGRTMAX - 3; }

std::string text_of(const fs::path& file)
{
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// True if /proc/PID/status says that the process has a handler: bit N-1 of a hexadecimal set.
bool handles(pid_t pid, int signal)
{
  const std::string status = text_of(fs::path("/proc") / std::to_string(pid) / "status");
  const std::string_view mark = "SigCgt:\t";
  const std::size_t at = status.find(mark);
  if (at == std::string::npos) return false;
  unsigned long long set = 0;
  std::from_chars(status.data() + at + mark.size(), status.data() + status.size(), set, 16);
  return (set >> (signal - 1) & 1) != 0;
}

std::string ours(const char* name)
{
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

PythonHooks::PythonHooks()
{
  folder_.write("sitecustomize.py", kWatchSiteCustomize);
  folder_.write("flashgate_watch.py", kWatchPytestPlugin);
  folder_.write("done", "[]");
  fs::create_directory(folder_.path() / "stacks");
  const std::string events = (folder_.path() / "events").string();
  if (mkfifo(events.c_str(), 0600) != 0) throw Error(events + ": can't be made: " + std::strerror(errno));
  // Open for writing too: then it has no end when a plugin closes it.
  events_ = sim::UniqueFd(open(events.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!events_) throw Error(events + ": can't be opened: " + std::strerror(errno));
}

std::vector<std::string> PythonHooks::environment() const
{
  const std::string folder = folder_.path().string(), path = ours("PYTHONPATH"), addopts = ours("PYTEST_ADDOPTS");
  return {"PYTHONUNBUFFERED=1",
          "PYTHONPATH=" + folder + (path.empty() ? "" : ":" + path),
          "PYTEST_ADDOPTS=" + addopts + (addopts.empty() ? "" : " ") + "-p flashgate_watch",
          "FLASHGATE_WATCH_EVENTS=" + folder + "/events",
          "FLASHGATE_WATCH_DONE=" + folder + "/done",
          "FLASHGATE_WATCH_STACKS=" + folder + "/stacks",
          "FLASHGATE_WATCH_SIGNAL=" + std::to_string(stacks_signal())};
}

void PythonHooks::leave_out(const std::vector<std::string>& tests)
{
  folder_.write("done", nlohmann::json(tests).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

std::string PythonHooks::stacks(const std::vector<pid_t>& processes)
{
  const auto file_of = [&](pid_t pid) { return folder_.path() / "stacks" / std::to_string(pid); };
  std::vector<pid_t> asked;
  for (const pid_t pid : processes)
    if (fs::exists(file_of(pid)) && handles(pid, stacks_signal()) && kill(pid, stacks_signal()) == 0)
      asked.push_back(pid);

  // A stack is written in pieces; it is taken as complete when it has not grown for a while.
  const Clock::time_point deadline = Clock::now() + kPatience;
  std::uintmax_t size = 0, last = 0;
  bool all = false;
  do {
    last = size;
    poll(nullptr, 0, 20);
    size = 0;
    all = true;
    for (const pid_t pid : asked) {
      std::error_code gone;
      const std::uintmax_t bytes = fs::file_size(file_of(pid), gone);
      all = all && !gone && bytes > 0;
      size += gone ? 0 : bytes;
    }
  } while (!asked.empty() && (!all || size != last) && Clock::now() < deadline);

  std::string text;
  for (const pid_t pid : asked)
    if (const std::string stack = text_of(file_of(pid)); !stack.empty())
      text += "process " + std::to_string(pid) + "\n" + stack + "\n";
  return text;
}

}  // namespace flashgate::app
