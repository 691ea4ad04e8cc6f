#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "sim/process/unique_fd.h"

namespace flashgate::sim {

/// A program to start.
struct ChildSettings
{
  /// A descriptor of ours and the number under which the program gets it. Any numbers: none overwrites another.
  struct Descriptor
  {
    int ours;
    int its;
  };

  std::vector<std::string> argv;         ///< argv[0] is found on our PATH
  std::vector<std::string> environment;  ///< NAME=VALUE, all that it gets; see our_environment()
  std::string folder;                    ///< its working directory; empty: ours
  std::vector<Descriptor> descriptors;   ///< all that it gets; of 0, 1 and 2 those not named are /dev/null
};

/// Our environment, with `more` (NAME=VALUE) in place of what has the same name.
std::vector<std::string> our_environment(const std::vector<std::string>& more = {});

/// How a program ended.
struct Ending
{
  bool by_signal = false;
  int number = 0;  ///< the signal, or the exit status

  int status() const { return by_signal ? 128 + number : number; }  ///< as a shell counts
  std::string text() const;                                         ///< "died of signal 11 (Segmentation fault)"
};

/// A program that runs in a process group of its own, and all that it starts: its tree. The tree is what descends from
/// the program, plus every process with the program's mark in its environment, so that a daemon which left the group,
/// the session and its parent is found too.
///
/// Owner rule: nobody else may wait for the program (no waitpid(-1)). Thread rule: one user at a time; children of
/// several threads don't disturb each other.
class ChildProcess
{
 public:
  /// Starts it by posix_spawn, without signals that we ignore or block. Error if it can't be started.
  explicit ChildProcess(const ChildSettings& settings);
  /// Kills the tree and waits for the program, at most two seconds.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }

  /// Becomes readable when the program has ended, for poll(). Closed once the ending was taken.
  int descriptor() const { return pidfd_.get(); }

  /// How the program ended, if it has; its process group is then killed, the rest of the tree is not. The same answer
  /// however often it is asked.
  std::optional<Ending> ending();

  /// ending(), waited for. Empty if there is none after `patience`: a process in the kernel can't be killed.
  std::optional<Ending> wait(std::chrono::milliseconds patience);

  /// Signals the process group, in microseconds. Nothing happens if the program has ended.
  void signal_group(int signal);

  /// The processes of the tree that live, the program first if it does. Reads /proc: milliseconds.
  std::vector<pid_t> tree() const;

  /// Kills the tree until nothing of it lives, and waits for what is ours to wait for. False if something was still
  /// there after `patience`.
  bool kill_tree(std::chrono::milliseconds patience = std::chrono::milliseconds(2000));

 private:
  std::string mark_;  ///< NAME=VALUE in the environment of the tree
  pid_t pid_ = 0;
  UniqueFd pidfd_;
  std::optional<Ending> ending_;
};

/// From now on orphans among our descendants become our children, so that tree() finds them by descent and kill_tree()
/// can wait for them. Once per process.
void adopt_orphans();

/// Kills the process groups of all programs that run, for a signal handler that is about to end this process: it takes
/// no lock and no memory. What has left its group lives on.
void kill_all_groups() noexcept;

/// To be called by a program of ours that a ChildProcess starts: it is killed when the thread that started it ends.
/// `parent` is that thread's process, which must be known from before, so that its end can't be missed.
void die_with_parent(pid_t parent);

}  // namespace flashgate::sim
