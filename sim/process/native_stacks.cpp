#include "sim/process/native_stacks.h"

#include <charconv>
#include <string_view>

#include "reference/error.h"
#include "sim/process/command_output.h"
#include "sim/process/plain_line.h"

namespace flashgate::sim {
namespace {

constexpr std::size_t kMostOutput = 16 << 20;

/// "#1  0x00007f41c5a2e4fd pthread_barrier_wait - /lib/x86_64-linux-gnu/libc.so.6": the function, and the file's name.
std::string frame_of(std::string_view line)
{
  const std::size_t address = line.find("0x");
  if (address == std::string_view::npos) return {};
  const std::size_t name = line.find(' ', address);
  if (name == std::string_view::npos) return plain_line(line.substr(address), 40);
  line = line.substr(name + 1);
  const std::size_t dash = line.rfind(" - ");
  if (dash == std::string_view::npos) return plain_line(line, 300);
  const std::string_view file = line.substr(dash + 3);
  return plain_line(line.substr(0, dash), 300) + " (" + plain_line(file.substr(file.rfind('/') + 1), 80) + ")";
}

}  // namespace

std::vector<NativeStack> parse_native_stacks(const std::string& text)
{
  std::vector<NativeStack> stacks;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.starts_with("TID ")) {
      NativeStack stack;
      std::from_chars(line.data() + 4, line.data() + line.size(), stack.thread);
      stacks.push_back(std::move(stack));
    } else if (line.starts_with('#') && !stacks.empty()) {
      stacks.back().frames.push_back(frame_of(line));
    }
  }
  return stacks;
}

std::string to_text(const NativeStacks& stacks)
{
  std::string text;
  if (!stacks.problem.empty()) text = "  no stacks: " + stacks.problem + '\n';
  for (const NativeStack& stack : stacks.threads) {
    text += "  thread " + std::to_string(stack.thread) + '\n';
    for (const std::string& frame : stack.frames)
      text += "    " + frame + '\n';
  }
  return text;
}

NativeStacks read_native_stacks(pid_t pid, std::chrono::milliseconds patience)
{
  try {
    // Only SIGKILL ends an eu-stack that waits for a process which doesn't stop.
    const std::string seconds = std::to_string(static_cast<double>(patience.count()) / 1000);
    const CommandResult result = run_command({"timeout", "-s", "KILL", seconds, "eu-stack", "-p", std::to_string(pid)},
                                             "", {}, {kMostOutput, static_cast<int>(patience.count() / 1000) + 2});
    NativeStacks stacks{parse_native_stacks(result.output), {}};
    if (!stacks.threads.empty()) return stacks;
    stacks.problem = result.status == 127   ? "eu-stack (elfutils) is not installed"
                     : result.status == 137 ? "eu-stack gave no answer for " + seconds + " s"
                                            : "eu-stack: " + result.first_error;
    return stacks;
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

}  // namespace flashgate::sim
