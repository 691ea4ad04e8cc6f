#include "matrix/bisection.h"

#include <algorithm>

namespace flashgate::matrix {
namespace {

/// The commits between the last good and the first bad one that may still be asked.
class Search
{
 public:
  explicit Search(std::size_t commits) : skipped_(commits, false), end_(commits - 1) {}

  /// The candidate nearest to the middle; `end()` if there is none.
  std::size_t next() const
  {
    const std::size_t middle = begin_ + (end_ - begin_) / 2;
    for (std::size_t distance = 0; distance <= end_ - begin_; ++distance) {
      if (middle + distance < end_ && !skipped_[middle + distance]) return middle + distance;
      if (middle >= begin_ + distance && middle - distance < end_ && !skipped_[middle - distance])
        return middle - distance;
    }
    return end_;
  }

  void note(std::size_t commit, CommitState state)
  {
    if (state == CommitState::good) begin_ = commit + 1;
    if (state == CommitState::bad) end_ = commit;
    if (state == CommitState::skipped) skipped_[commit] = true;
  }

  std::size_t begin() const { return begin_; }  ///< everything before it is good
  std::size_t end() const { return end_; }      ///< bad, as everything after it

 private:
  std::vector<bool> skipped_;
  std::size_t begin_ = 0;
  std::size_t end_;
};

}  // namespace

Bisection bisect(std::size_t commits, const std::function<CommitState(std::size_t)>& ask)
{
  Bisection result;
  Search search(commits);
  for (std::size_t commit = search.next(); commit != search.end(); commit = search.next()) {
    const CommitState state = ask(commit);
    result.asked.push_back(commit);
    if (state == CommitState::skipped) result.skipped.push_back(commit);
    search.note(commit, state);
  }
  result.first_bad = search.end();
  for (std::size_t commit = search.begin(); commit < search.end(); ++commit)
    result.suspects.push_back(commit);  // whatever is left between good and bad was skipped
  std::sort(result.skipped.begin(), result.skipped.end());
  return result;
}

}  // namespace flashgate::matrix
