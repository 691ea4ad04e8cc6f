// What can be seen of a process that hangs.
#include "sim/process/process_state.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

#include "sim/process/child_process.h"
#include "sim/process/native_stacks.h"

namespace flashgate::sim {
namespace {

/// The state of the program's first thread once it is `wanted`, or after a while what it is then.
ThreadState settled(const ChildProcess& child, char wanted, const std::string& call)
{
  ThreadState seen;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<ProcessState> states = read_process_states({child.pid()});
    REQUIRE(states.size() == 1);
    seen = states[0].threads.at(0);
    if (seen.state == wanted && seen.system_call == call) break;
    poll(nullptr, 0, 5);
  }
  return seen;
}

TEST_CASE("a sleeping program is seen in its system call, one that spins outside any")
{
  const ChildProcess sleeps({{"sleep", "1000"}, our_environment(), "", {}});
  const ThreadState asleep = settled(sleeps, 'S', "clock_nanosleep");
  CHECK(asleep.state == 'S');
  CHECK(asleep.system_call == "clock_nanosleep");
  CHECK(asleep.id == sleeps.pid());
  CHECK(asleep.name == "sleep");
  const std::string text = to_text(read_process_states({sleeps.pid()}).at(0));
  CHECK(text.find(": sleep 1000\n") != std::string::npos);
  CHECK(text.find("state S, in system call clock_nanosleep") != std::string::npos);

  const ChildProcess spins({{"/bin/sh", "-c", "while :; do :; done"}, our_environment(), "", {}});
  CHECK(settled(spins, 'R', "").state == 'R');
}

TEST_CASE("a process that is gone has no state")
{
  ChildProcess child({{"true"}, our_environment(), "", {}});
  REQUIRE(child.wait(std::chrono::seconds(20)));
  CHECK(read_process_states({child.pid()}).empty());
}

TEST_CASE("stacks are read from eu-stack's text")
{
  const std::vector<NativeStack> stacks = parse_native_stacks(
      "PID 12 - process\n"
      "TID 12:\n"
      "#0  0x00007f41c5a2e4fd pthread_barrier_wait - /lib/x86_64-linux-gnu/libc.so.6\n"
      "#1  0x000055d0c0ffee00 a - b::operator-(int) - /opt/with space/program\n"
      "#2  0x000055d0c0ffee01 - 1\n"
      "TID 13:\n"
      "#0  0x000055d0c0ffee02\n");
  REQUIRE(stacks.size() == 2);
  CHECK(stacks[0].thread == 12);
  CHECK(stacks[0].frames.at(0) == "pthread_barrier_wait (libc.so.6)");
  CHECK(stacks[0].frames.at(1) == "a - b::operator-(int) (program)");
  CHECK(stacks[0].frames.size() == 3);
  CHECK(to_text(NativeStacks{{stacks[1]}, {}}) == "  thread 13\n    " + stacks[1].frames.at(0) + "\n");
  CHECK(to_text(NativeStacks{{}, "eu-stack says no"}) == "  no stacks: eu-stack says no\n");
  CHECK(stacks[1].frames == std::vector<std::string>{"0x000055d0c0ffee02"});
}

TEST_CASE("the stack of a program that sleeps ends in its sleep, or says why there is none")
{
  const ChildProcess child({{"sleep", "1000"}, our_environment(), "", {}});
  settled(child, 'S', "clock_nanosleep");
  const NativeStacks stacks = read_native_stacks(child.pid());
  if (stacks.problem.empty()) {
    REQUIRE_FALSE(stacks.threads.empty());
    CHECK(std::ranges::any_of(stacks.threads[0].frames,
                              [](const std::string& frame) { return frame.find("nanosleep") != std::string::npos; }));
  } else {
    CHECK(stacks.threads.empty());
    MESSAGE(stacks.problem);
  }
  CHECK_FALSE(read_native_stacks(999999999).problem.empty());
}

}  // namespace
}  // namespace flashgate::sim
