#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "matrix/isolation/execution_message.h"
#include "matrix/isolation/frame.h"
#include "matrix/isolation/isolation_options.h"
#include "matrix/isolation/stage_page.h"
#include "sim/process/child_process.h"
#include "sim/process/pipe.h"

namespace flashgate::matrix {

/// A running worker, as its supervisor sees it. One thread.
class WorkerProcess
{
 public:
  /// Starts it. Error if that fails.
  explicit WorkerProcess(const IsolationOptions& options);

  /// An idle worker ends when its socket closes; another one is killed, with all that it started.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Throws ProtocolViolation if the worker does not take it.
  void send(const ExecutionRequest& request);

  /// For poll(): what it writes, and its end.
  int socket() const { return socket_.get(); }
  int end() const { return child_.descriptor(); }

  /// Reads what the worker has written so far; false if it has closed its socket.
  bool receive();
  /// The next whole frame; throws ProtocolViolation.
  std::optional<Frame> next() { return reader_.next(); }
  /// Bytes of an answer that has only begun.
  std::size_t half_answer() const { return reader_.pending(); }

  /// True from the moment when it has given up its memory, which it does before it closes its socket.
  bool is_dying() const;
  std::optional<sim::Ending> ending() { return child_.ending(); }
  std::optional<sim::Ending> wait(std::chrono::milliseconds patience) { return child_.wait(patience); }
  void kill() { child_.kill_tree(); }

  bool has_begun(std::uint64_t id) const { return stages_.has_begun(id); }
  std::uint64_t progress() const { return stages_.changes(); }
  std::string stage() const { return stages_.stage(); }
  /// Of the worker itself, in MiB; 0 once it has ended.
  std::int64_t resident_mib() const;
  /// The end of what it printed.
  std::string log_tail() const;
  /// What /proc and eu-stack say of every process of its tree, as lines. Tens of milliseconds for each.
  std::string describe_tree() const;

 private:
  WorkerProcess(const IsolationOptions& options, sim::FdPair ends);

  StagePage stages_;
  sim::UniqueFd log_;
  sim::UniqueFd socket_;
  sim::ChildProcess child_;
  FrameReader reader_;
};

}  // namespace flashgate::matrix
