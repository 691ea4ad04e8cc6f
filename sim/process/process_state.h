#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace flashgate::sim {

/// What /proc says of one thread at one moment. Reading it stops nothing and works even where a process hangs in the
/// kernel and answers neither a signal nor a debugger.
struct ThreadState
{
  pid_t id = 0;
  std::string name;
  char state = '?';          ///< as ProcessRow::state
  std::string wait_channel;  ///< the kernel function it sleeps in; empty where it runs or the kernel doesn't tell
  std::string system_call;   ///< "futex"; its number where it has no name here; empty outside one
  std::string kernel_stack;  ///< functions, a line each; empty where the machine does not permit it
  long long cpu_ticks = 0;   ///< processor time it has used
};

struct ProcessState
{
  pid_t pid = 0;
  std::string command;  ///< its command line, printable, at most 200 bytes
  std::vector<ThreadState> threads;
};

/// The states of those of the processes that live.
std::vector<ProcessState> read_process_states(const std::vector<pid_t>& pids);

/// One header line per process and one line per thread, for logs.
std::string to_text(const ProcessState& process);

}  // namespace flashgate::sim
