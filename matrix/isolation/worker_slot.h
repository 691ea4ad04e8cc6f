#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include <poll.h>

#include "matrix/execution_runner.h"
#include "matrix/isolation/attempt_queue.h"
#include "matrix/isolation/isolation_options.h"
#include "matrix/isolation/worker_fault.h"
#include "matrix/isolation/worker_process.h"

namespace flashgate::matrix {

struct FinishedAttempt
{
  Attempt attempt;
  ExecutionResult result;
};

/// The place of one worker: at most one process at a time, replaced when it has broken, when it has done enough, and
/// for an attempt that wants to be alone.
class WorkerSlot
{
 public:
  /// How often a supervisor should look even where nothing happens: deadlines and memory are found no sooner.
  static constexpr std::chrono::milliseconds kTick{50};

  /// Both must outlive it.
  WorkerSlot(const std::vector<ExecutionTask>& tasks, const IsolationOptions& options);
  ~WorkerSlot();
  WorkerSlot(const WorkerSlot&) = delete;
  WorkerSlot& operator=(const WorkerSlot&) = delete;

  WorkerLoad load() const;
  void assign(const Attempt& attempt);

  /// Adds what poll() should wait for.
  void watch(std::vector<pollfd>& watched) const;

  /// Reads answers, and judges a worker that has broken by what it was busy with. Error if workers can't be started.
  std::vector<FinishedAttempt> look();

  /// Attempts that only waited in a worker that has broken.
  std::deque<Attempt> take_unblamed();

 private:
  using Clock = std::chrono::steady_clock;

  void start();
  void read_answers(std::vector<FinishedAttempt>& finished);
  FinishedAttempt finish_front(const Frame& frame);
  std::optional<WorkerFault> find_fault();
  std::optional<WorkerFault> find_late();
  FaultScene scene() const;
  void give_up(const WorkerFault& fault, std::vector<FinishedAttempt>& finished);
  void blame_front(const WorkerFault& fault, std::vector<FinishedAttempt>& finished);
  void count_failed_start(const WorkerFault& fault);
  bool needs_too_much_memory();
  void drop_worker();
  void write_log(const ExecutionResult& result, bool alone) const;
  void restart_clock();

  const std::vector<ExecutionTask>& tasks_;
  const IsolationOptions& options_;
  std::unique_ptr<WorkerProcess> worker_;
  bool is_ready_ = false;
  int failed_starts_ = 0;  ///< in a row, of workers that broke before they took up anything
  std::int64_t served_ = 0;
  std::uint64_t next_id_ = 0;  ///< of the front of queue_
  std::deque<Attempt> queue_;  ///< the front is being executed
  std::deque<Attempt> unblamed_;
  Clock::time_point asked_;       ///< when the front's turn came
  Clock::time_point progressed_;  ///< when it last showed progress
  std::uint64_t progress_ = 0;
  Clock::time_point memory_looked_at_;
};

}  // namespace flashgate::matrix
