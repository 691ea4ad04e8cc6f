#include "app/watch/hang_cause.h"

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

#include <unistd.h>

#include "matrix/texts.h"

namespace flashgate::app {
namespace {

/// Names of communication libraries and of what they offer, as functions are named in stacks. A test of a collective,
/// test_all_reduce, is none.
const std::regex kCollectives(
    "\\b_*(all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|P?MPI_|c10d::|nccl|gloo|hccl)|ProcessGroup|TCPStore|"
    "dist(ributed)?[._]barrier",
    std::regex::icase | std::regex::optimize);

constexpr std::size_t kLongestFrame = 500;  // the search recurses over what it searches

/// The function of a frame: of a line of a Python stack (File "...", line 3 in f) without the file, which is the user's
/// to name, but for what lies in a package named distributed.
std::string function_of(std::string_view frame)
{
  const std::size_t in = frame.rfind(" in ");
  if (frame.find("File \"") == std::string_view::npos || in == std::string_view::npos) return std::string(frame);
  const bool distributed = frame.find("/distributed/") != std::string_view::npos;
  return (distributed ? "distributed." : "") + std::string(frame.substr(in + 4));
}

bool shows_collective(const std::string& stacks)
{
  const auto frames = matrix::split(stacks, '\n');
  return std::ranges::any_of(frames, [](std::string_view frame) {
    return std::regex_search(function_of(frame.substr(0, kLongestFrame)), kCollectives);
  });
}

constexpr double kBusyShare = 0.1;  // of one processor: the machine may be loaded
constexpr double kFewestTicks = 2;

/// System calls, and what waiting in them means.
constexpr auto kWaits = std::to_array<std::pair<std::string_view, HangCause>>({
    {"futex", HangCause::lock},
    {"flock", HangCause::lock},
    {"semop", HangCause::lock},
    {"read", HangCause::input_output},
    {"readv", HangCause::input_output},
    {"pread", HangCause::input_output},
    {"write", HangCause::input_output},
    {"writev", HangCause::input_output},
    {"pwrite", HangCause::input_output},
    {"poll", HangCause::input_output},
    {"ppoll", HangCause::input_output},
    {"select", HangCause::input_output},
    {"pselect", HangCause::input_output},
    {"epoll_wait", HangCause::input_output},
    {"epoll_pwait", HangCause::input_output},
    {"recvfrom", HangCause::input_output},
    {"recvmsg", HangCause::input_output},
    {"sendto", HangCause::input_output},
    {"sendmsg", HangCause::input_output},
    {"accept", HangCause::input_output},
    {"accept4", HangCause::input_output},
    {"connect", HangCause::input_output},
    {"fsync", HangCause::input_output},
    {"fdatasync", HangCause::input_output},
    {"openat", HangCause::input_output},
    {"msgrcv", HangCause::input_output},
    {"nanosleep", HangCause::sleep},
    {"clock_nanosleep", HangCause::sleep},
    {"pause", HangCause::sleep},
    {"sigsuspend", HangCause::sleep},
    {"wait4", HangCause::child_process},
    {"waitid", HangCause::child_process},
});

long long ticks_of(const std::vector<sim::ProcessState>& states, pid_t thread)
{
  for (const sim::ProcessState& process : states)
    for (const sim::ThreadState& state : process.threads)
      if (state.id == thread) return state.cpu_ticks;
  return -1;
}

bool is_busy(const std::vector<sim::ProcessState>& before, const std::vector<sim::ProcessState>& after, double seconds)
{
  const double busy_ticks = kBusyShare * seconds * static_cast<double>(sysconf(_SC_CLK_TCK));
  for (const sim::ProcessState& process : after)
    for (const sim::ThreadState& thread : process.threads) {
      const long long earlier = ticks_of(before, thread.id);
      if (earlier >= 0 && static_cast<double>(thread.cpu_ticks - earlier) >= std::max(kFewestTicks, busy_ticks))
        return true;
    }
  return false;
}

HangCause cause_of(const sim::ThreadState& thread)
{
  const auto* const known =
      std::ranges::find_if(kWaits, [&](const auto& wait) { return wait.first == thread.system_call; });
  if (known != kWaits.end()) return known->second;
  return thread.state == 'D' ? HangCause::input_output : HangCause::unknown;
}

}  // namespace

std::string_view cause_text(HangCause cause)
{
  switch (cause) {
    case HangCause::collective:
      return "waiting in a collective";
    case HangCause::lock:
      return "waiting for a lock";
    case HangCause::busy_loop:
      return "busy loop";
    case HangCause::input_output:
      return "waiting for input or output";
    case HangCause::sleep:
      return "sleeping";
    case HangCause::child_process:
      return "waiting for another process";
    case HangCause::unknown:
      break;
  }
  return "unknown";
}

std::string_view cause_suggestion(HangCause cause)
{
  switch (cause) {
    case HangCause::collective:
      return "Compare the ranks' stacks: one is elsewhere, has ended, or calls another collective. Its last decision "
             "before that is what to look at.";
    case HangCause::lock:
      return "Find the thread that holds the lock: it waits for another one, in the other order, or ended without "
             "releasing it.";
    case HangCause::busy_loop:
      return "The stack shows the loop: look at what it waits for, and why that can't come true.";
    case HangCause::input_output:
      return "Look at the other end of the pipe, socket or file: it is alive and silent, or was never started.";
    case HangCause::sleep:
      return "It polls or retries: look at the condition behind the sleep, and give it an end.";
    case HangCause::child_process:
      return "It waits for a process that does not end or is not its own: look at the last one of the tree.";
    case HangCause::unknown:
      break;
  }
  return "The stacks are all there is; run the test alone.";
}

HangCause likely_cause(const std::vector<sim::ProcessState>& before, const std::vector<sim::ProcessState>& after,
                       double seconds_between, const std::string& stacks)
{
  if (shows_collective(stacks)) return HangCause::collective;
  if (is_busy(before, after, seconds_between)) return HangCause::busy_loop;
  HangCause cause = HangCause::unknown;
  for (const sim::ProcessState& process : after) {  // parents come first, so the innermost that tells decides
    const HangCause own = cause_of(process.threads.front());
    if (own != HangCause::unknown) cause = own;
  }
  return cause;
}

}  // namespace flashgate::app
