#include "app/watch/hang_evidence.h"

#include <chrono>

#include <fmt/format.h>
#include <poll.h>

#include "sim/process/native_stacks.h"

namespace flashgate::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTimeForStacks{1000};
constexpr std::chrono::milliseconds kLeastBetweenStates{100};  // ten ticks: enough to see a thread that runs

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string native_stacks_of(const std::vector<sim::ProcessState>& processes)
{
  const Clock::time_point deadline = Clock::now() + kTimeForStacks;
  std::string text;
  for (auto process = processes.rbegin(); process != processes.rend(); ++process) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return text + "no time for the processes before\n";
    text += fmt::format("process {}: {}\n", process->pid, process->command) +
            sim::to_text(sim::read_native_stacks(process->pid, left));
  }
  return text;
}

std::string kernel_stacks_of(const sim::ProcessState& process)
{
  std::string text;
  for (const sim::ThreadState& thread : process.threads)
    if (thread.state == 'D' && !thread.kernel_stack.empty())
      text += fmt::format("thread {} in the kernel:\n{}\n", thread.id, thread.kernel_stack);
  return text;
}

}  // namespace

std::string HangEvidence::text() const
{
  return fmt::format("cause (likely): {}\n\nprocesses\n{}\nPython stacks\n{}\nnative stacks\n{}", cause_text(cause),
                     states, python_stacks.empty() ? "none\n" : python_stacks, native_stacks);
}

HangEvidence look_at(const sim::ChildProcess& child, PythonHooks& hooks)
{
  HangEvidence evidence;
  const Clock::time_point start = Clock::now();
  const std::vector<pid_t> tree = child.tree();
  const std::vector<sim::ProcessState> before = sim::read_process_states(tree);
  for (const sim::ProcessState& process : before)
    evidence.states += to_text(process) + kernel_stacks_of(process);
  evidence.python_stacks = hooks.stacks(tree);
  if (Clock::now() - start < kLeastBetweenStates) poll(nullptr, 0, static_cast<int>(kLeastBetweenStates.count()));
  const std::vector<sim::ProcessState> after = sim::read_process_states(tree);
  const double between = seconds_since(start);
  evidence.native_stacks = native_stacks_of(after);
  evidence.cause = likely_cause(before, after, between, evidence.python_stacks + evidence.native_stacks);
  return evidence;
}

}  // namespace flashgate::app
