#include "matrix/isolation/attempt_queue.h"

namespace flashgate::matrix {

std::size_t AttemptQueue::depth(std::size_t workers) const
{
  constexpr std::size_t kAtHand = 16;
  constexpr std::size_t kManyPerWorker = 32;
  return tasks_ - next_ > kManyPerWorker * workers ? kAtHand : 1;
}

std::optional<Attempt> AttemptQueue::next_for(const WorkerLoad& load, std::size_t workers, std::size_t window)
{
  if (load.is_alone) return std::nullopt;
  if (load.waiting == 0 && !suspects_.empty()) {
    const std::size_t task = suspects_.front();
    suspects_.pop_front();
    return Attempt{task, true};
  }
  if (load.waiting >= depth(workers)) return std::nullopt;
  if (!returned_.empty()) {
    const std::size_t task = returned_.front();
    returned_.pop_front();
    return Attempt{task, false};
  }
  if (next_ >= tasks_ || next_ >= window) return std::nullopt;
  return Attempt{next_++, false};
}

void AttemptQueue::put_back(const Attempt& attempt) { (attempt.alone ? suspects_ : returned_).push_back(attempt.task); }

}  // namespace flashgate::matrix
