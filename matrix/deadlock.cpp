#include "matrix/deadlock.h"

#include <algorithm>

namespace flashgate::matrix {
namespace {

/// A rank that broke takes the others down with it: what is wrong is the rank, not the order of collectives.
bool broke(const sim::RankReport& rank)
{
  return rank.state == sim::RankState::threw || rank.state == sim::RankState::died;
}

}  // namespace

void throw_group_failure(const sim::RankGroupFailure& failure)
{
  if (std::ranges::any_of(failure.ranks, broke)) throw Error(sim::describe(failure));
  throw Deadlock(failure.reason, sim::describe(failure));
}

}  // namespace flashgate::matrix
