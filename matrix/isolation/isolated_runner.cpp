#include "matrix/isolation/isolated_runner.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "matrix/execution_array.h"
#include "matrix/isolation/attempt_queue.h"
#include "matrix/isolation/worker_slot.h"

namespace flashgate::matrix {
namespace {

/// Results that wait for their turn, per worker: enough that the others go on while one task takes its whole patience.
constexpr std::size_t kAheadPerWorker = 256;

class IsolatedRun
{
 public:
  IsolatedRun(const std::vector<ExecutionTask>& tasks, int jobs, const IsolationOptions& options,
              const ExecutionListener& listener)
      : tasks_(tasks), listener_(listener), attempts_(tasks.size()), results_(tasks.size())
  {
    for (int n = 0; n < std::max(1, jobs); ++n)
      slots_.push_back(std::make_unique<WorkerSlot>(tasks, options));
  }

  std::size_t run(const StopRequest& stop)
  {
    while (handed_out_ < tasks_.size() && !stop()) {
      for (const auto& slot : slots_)
        give_work(*slot);
      wait_for_workers();
      for (const auto& slot : slots_)
        take_results(*slot);
      hand_out();
    }
    return handed_out_;
  }

 private:
  void give_work(WorkerSlot& slot)
  {
    const std::size_t window = handed_out_ + kAheadPerWorker * slots_.size();
    while (const auto attempt = attempts_.next_for(slot.load(), slots_.size(), window))
      slot.assign(*attempt);
  }

  void wait_for_workers()
  {
    std::vector<pollfd> watched;
    for (const auto& slot : slots_)
      slot->watch(watched);
    poll(watched.data(), watched.size(), static_cast<int>(WorkerSlot::kTick.count()));
  }

  void take_results(WorkerSlot& slot)
  {
    for (FinishedAttempt& finished : slot.look())
      settle_attempt(std::move(finished));
    for (const Attempt& attempt : slot.take_unblamed())
      attempts_.put_back(attempt);
  }

  void settle_attempt(FinishedAttempt&& finished)
  {
    std::optional<ExecutionResult>& result = results_[finished.attempt.task];
    if (finished.attempt.alone) {
      result = settle(std::move(*first_failures_[finished.attempt.task]), std::move(finished.result));
      first_failures_.erase(finished.attempt.task);
    } else if (is_failure(finished.result.verdict)) {
      first_failures_[finished.attempt.task] = std::move(finished.result);
      attempts_.suspect(finished.attempt.task);
    } else {
      result = std::move(finished.result);
    }
  }

  void hand_out()
  {
    for (; handed_out_ < tasks_.size() && results_[handed_out_]; ++handed_out_) {
      listener_(handed_out_, std::move(*results_[handed_out_]));
      results_[handed_out_].reset();
    }
  }

  const std::vector<ExecutionTask>& tasks_;
  const ExecutionListener& listener_;
  AttemptQueue attempts_;
  std::vector<std::optional<ExecutionResult>> results_;  ///< of tasks that have ended, until they are handed out
  std::map<std::size_t, std::optional<ExecutionResult>> first_failures_;
  std::size_t handed_out_ = 0;
  std::vector<std::unique_ptr<WorkerSlot>> slots_;
};

}  // namespace

std::size_t run_isolated(const std::vector<ExecutionTask>& tasks, int jobs, const IsolationOptions& options,
                         const ExecutionListener& listener, const StopRequest& stop)
{
  return IsolatedRun(tasks, jobs, options, listener).run(stop);
}

double patience_for(const NumericsCase& numerics, double timeout_seconds)
{
  return timeout_seconds * (1 + cost_of(numerics) / kComfortableCost);
}

}  // namespace flashgate::matrix
