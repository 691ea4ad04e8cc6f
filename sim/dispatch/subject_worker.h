#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/process/child_process.h"
#include "sim/process/unique_fd.h"

namespace flashgate::sim {

/// How a subject's program is started and what it may use.
struct WorkerSettings
{
  std::vector<std::string> argv;               ///< argv[0] is found on PATH
  std::vector<std::string> environment;        ///< NAME=VALUE; all that it gets beside PATH, HOME, TMPDIR and LANG
  std::string folder;                          ///< scratch folder: its working directory and HOME
  std::chrono::milliseconds patience{10'000};  ///< longest time without a line that is waited for
  std::chrono::milliseconds start_patience{60'000};  ///< the same until the worker has said hello
  std::size_t memory_bytes = std::size_t{2} << 30;
  int cpu_seconds = 3600;
  bool offline = true;  ///< its own network namespace, which has no network, where the machine permits it
};

/// The worker can't be asked any more. what() says what it did, printable.
class WorkerFailure : public std::runtime_error
{
 public:
  explicit WorkerFailure(const std::string& what) : std::runtime_error(what) {}
};

/// A running program that speaks the subject protocol over a socket, which it inherits as descriptor 3
/// (FLASHGATE_PROTOCOL_FD). What it prints is a log: it is read, and the first 64 KiB are kept.
///
/// It runs in a process group of its own, without our environment, with limits on memory, CPU time, file size and open
/// files; it is killed with all that it started when the worker goes. Not thread-safe: one user at a time.
class SubjectWorker
{
 public:
  /// Starts the program. Error if it can't be started.
  explicit SubjectWorker(const WorkerSettings& settings);
  SubjectWorker(const SubjectWorker&) = delete;
  SubjectWorker& operator=(const SubjectWorker&) = delete;

  /// Sends a text while whatever the worker has to say is read. WorkerFailure if it can't be delivered.
  void send(const std::string& text);

  /// The next line the worker wrote, without its end. WorkerFailure if there is none for `patience`, if the worker ends
  /// or closes the socket, or if the line grows beyond kLongestLine.
  std::string receive();

  /// From now on the worker has started: `patience` counts.
  void started() { patience_ = settings_.patience; }

  /// The beginning of what it printed.
  const std::string& log() const { return log_; }

 private:
  void wait(std::chrono::steady_clock::time_point deadline, bool to_write);
  void read_socket();
  void read_log();
  std::string ending();

  WorkerSettings settings_;
  std::chrono::milliseconds patience_;
  UniqueFd socket_, output_;
  std::optional<ChildProcess> child_;
  bool socket_readable_ = false, socket_writable_ = false, closed_ = false;
  std::string received_;
  std::size_t searched_ = 0;  ///< so much of received_ has no line end
  std::string log_;
};

/// True if this machine lets a program have a network namespace of its own. Asked once.
bool network_can_be_taken_away();

}  // namespace flashgate::sim
