#include "matrix/execution_runner.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <future>

namespace flashgate::matrix {

std::size_t run_executions(const std::vector<ExecutionTask>& tasks, int jobs, const ExecutionListener& listener,
                           const StopRequest& stop)
{
  // Results wait for their turn, so a dear task lets the others run ahead, but not without end.
  constexpr std::size_t kAheadPerThread = 16;
  const std::size_t threads = static_cast<std::size_t>(std::max(1, jobs));
  std::deque<std::promise<ExecutionResult>> promises(tasks.size());
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> allowed{std::min(tasks.size(), threads * kAheadPerThread)};
  std::atomic<bool> ended{false};
  const auto work = [&] {
    for (std::size_t index = next++; index < tasks.size(); index = next++) {
      for (std::size_t limit = allowed; index >= limit && !ended; limit = allowed)
        allowed.wait(limit);
      if (ended) return;
      try {
        promises[index].set_value(execute(tasks[index].numerics, *tasks[index].backend));
      } catch (...) {
        promises[index].set_exception(std::current_exception());
      }
    }
  };
  std::vector<std::future<void>> workers;
  for (std::size_t n = 0; n < threads; ++n)
    workers.push_back(std::async(std::launch::async, work));

  struct Ending
  {
    std::atomic<bool>& ended;
    std::atomic<std::size_t>& allowed;
    ~Ending()
    {
      ended = true;
      ++allowed;
      allowed.notify_all();
    }
  };
  std::size_t done = 0;
  const Ending ending{ended, allowed};  // destroyed before `workers`, which wait for their threads
  while (done < tasks.size() && !stop()) {
    listener(done, promises[done].get_future().get());
    ++done;
    ++allowed;
    allowed.notify_all();
  }
  return done;
}

}  // namespace flashgate::matrix
