#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace flashgate::matrix {

/// What is known of one commit.
enum class CommitState {
  good,
  bad,
  skipped  ///< it could not be asked
};

/// The answer of a bisection over commits 0 ... n-1, oldest first, between a good one and a bad one.
struct Bisection
{
  std::size_t first_bad = 0;          ///< the oldest commit known to be bad
  std::vector<std::size_t> suspects;  ///< skipped commits just before it: the culprit may be one of them
  std::vector<std::size_t> skipped;   ///< every commit that could not be asked, oldest first
  std::vector<std::size_t> asked;     ///< in the order of asking
};

/// Finds where commits turn from good to bad. The commit before index 0 is known to be good and the last one, n-1, to
/// be bad: neither is asked. A commit that can't be asked is skipped and the nearest one not yet known is asked
/// instead. Each commit is asked at most once, about log2(n) of them if none is skipped. REQUIRES: commits > 0.
Bisection bisect(std::size_t commits, const std::function<CommitState(std::size_t)>& ask);

}  // namespace flashgate::matrix
