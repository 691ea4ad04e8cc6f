#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace flashgate::sim {

/// What /proc/PID/stat says of a process.
struct ProcessRow
{
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';  ///< R running, S sleeping, D in the kernel, T stopped, Z ended and not waited for
};

/// Every process that this machine lets us see.
std::vector<ProcessRow> all_processes();

/// `root`, what descends from it, and every process with `mark` (NAME=VALUE) in its environment, with what descends
/// from that; parents before children. Without those that have ended, and never this process.
std::vector<pid_t> live_tree(pid_t root, const std::string& mark);

}  // namespace flashgate::sim
