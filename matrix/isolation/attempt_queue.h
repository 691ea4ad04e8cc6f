#pragma once

#include <cstddef>
#include <deque>
#include <optional>

namespace flashgate::matrix {

/// A task that a worker is to execute.
struct Attempt
{
  std::size_t task = 0;
  bool alone = false;  ///< the second time, in a fresh worker that gets nothing else meanwhile
};

/// How busy a worker is.
struct WorkerLoad
{
  std::size_t waiting = 0;  ///< attempts it has, the one it is busy with included
  bool is_alone = false;    ///< one of them wants to be alone
};

/// Who gets what next. Tasks go out in order; suspects first, to a worker that has nothing else.
class AttemptQueue
{
 public:
  explicit AttemptQueue(std::size_t tasks) : tasks_(tasks) {}

  /// The next attempt for a worker; none if it has enough, or if all tasks below `window` are out.
  std::optional<Attempt> next_for(const WorkerLoad& load, std::size_t workers, std::size_t window);

  /// The task failed and is to be run again, alone.
  void suspect(std::size_t task) { suspects_.push_back(task); }

  /// The attempt was not made after all.
  void put_back(const Attempt& attempt);

 private:
  /// Attempts that a worker has at hand so that it never waits for the supervisor; towards the end, when one of them
  /// might wait behind a dear one while other workers have nothing to do, just the one it is busy with.
  std::size_t depth(std::size_t workers) const;

  std::size_t tasks_;
  std::size_t next_ = 0;
  std::deque<std::size_t> returned_;
  std::deque<std::size_t> suspects_;
};

}  // namespace flashgate::matrix
