#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

namespace flashgate::sim {

/// A thread's functions as eu-stack names them, the innermost first.
struct NativeStack
{
  pid_t thread = 0;
  std::vector<std::string> frames;  ///< "pthread_barrier_wait (libc.so.6)"
};

struct NativeStacks
{
  std::vector<NativeStack> threads;
  std::string problem;  ///< why there are none: eu-stack is not installed, may not look, or hangs itself
};

/// The stacks of a process, which stands still meanwhile (tens of milliseconds). A process that hangs in the kernel
/// can't be looked into: then there is no answer for `patience`.
NativeStacks read_native_stacks(pid_t pid, std::chrono::milliseconds patience = std::chrono::milliseconds(2000));

/// A line per thread and an indented one per frame, or one that says why there are none; for logs.
std::string to_text(const NativeStacks& stacks);

/// Parses what `eu-stack -p PID` prints.
std::vector<NativeStack> parse_native_stacks(const std::string& text);

}  // namespace flashgate::sim
