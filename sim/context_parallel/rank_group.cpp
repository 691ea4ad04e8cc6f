#include "sim/context_parallel/rank_group.h"

#include <exception>
#include <string>
#include <system_error>
#include <thread>

#include "reference/error.h"
#include "sim/context_parallel/group_state.h"

namespace flashgate::sim {
namespace {

std::vector<double> copied(std::span<const double> elements) { return {elements.begin(), elements.end()}; }

/// A rank's thread. Nothing gets out of it: how the rank ended is the group's to know.
void run_rank(GroupState& group, int cp_rank, int cp_size, const std::function<void(RankContext&)>& rank_main)
{
  try {
    group.start(cp_rank);
    RankContext context(group, cp_rank, cp_size);
    rank_main(context);
    group.leave(cp_rank, RankState::returned, {});
  } catch (const RankGroupStopped&) {
  } catch (const RankDied&) {
    group.leave(cp_rank, RankState::died, "killed by the fault plan");
  } catch (const std::exception& error) {
    group.leave(cp_rank, RankState::threw, error.what());
  } catch (...) {
    group.leave(cp_rank, RankState::threw, "something that is no std::exception");
  }
}

void require_valid(int cp_size, const RankGroupOptions& options)
{
  if (cp_size < 1) throw Error("rank group: cp_size must be positive, got " + std::to_string(cp_size));
  for (const RankFault& fault : options.faults) {
    if (fault.cp_rank < 0 || fault.cp_rank >= cp_size || fault.turns < 0) {
      throw Error("rank group: a fault must name a rank below " + std::to_string(cp_size) +
                  " and no negative delay, got rank " + std::to_string(fault.cp_rank));
    }
  }
}

}  // namespace

std::vector<double> RankContext::all_gather(std::span<const double> mine, Where where)
{
  const auto round = group_.meet(cp_rank_, {OperationKind::all_gather, mine.size(), -1, 0, where}, copied(mine));
  std::vector<double> gathered;
  gathered.reserve(mine.size() * static_cast<std::size_t>(cp_size_));
  for (const auto& part : round->contributions)
    gathered.insert(gathered.end(), part.begin(), part.end());
  return gathered;
}

std::vector<double> RankContext::all_to_all(std::span<const double> slices, Where where)
{
  const std::size_t ranks = static_cast<std::size_t>(cp_size_);
  if (slices.size() % ranks != 0) {
    throw Error("all_to_all: " + std::to_string(slices.size()) + " elements are not " + std::to_string(cp_size_) +
                " equal slices");
  }
  const auto round = group_.meet(cp_rank_, {OperationKind::all_to_all, slices.size(), -1, 0, where}, copied(slices));
  const std::ptrdiff_t slice = static_cast<std::ptrdiff_t>(slices.size() / ranks);
  std::vector<double> mine;
  mine.reserve(slices.size());
  for (const auto& part : round->contributions)
    mine.insert(mine.end(), part.begin() + cp_rank_ * slice, part.begin() + (cp_rank_ + 1) * slice);
  return mine;
}

std::vector<double> RankContext::reduce_scatter(std::span<const double> slices, Where where)
{
  const std::vector<double> parts = all_to_all(slices, where);
  std::vector<double> sum(parts.size() / static_cast<std::size_t>(cp_size_));
  for (std::size_t i = 0; i < parts.size(); ++i)
    sum[i % sum.size()] += parts[i];
  return sum;
}

void RankContext::barrier(Where where) { group_.meet(cp_rank_, {OperationKind::barrier, 0, -1, 0, where}, {}); }

void RankContext::send(int to, std::span<const double> elements, Where where)
{
  if (to < 0 || to >= cp_size_) throw Error("send: there is no rank " + std::to_string(to));
  group_.send(cp_rank_, {OperationKind::send, elements.size(), to, 0, where}, copied(elements));
}

std::vector<double> RankContext::receive(int from, std::size_t elements, Where where)
{
  if (from < 0 || from >= cp_size_) throw Error("receive: there is no rank " + std::to_string(from));
  return group_.receive(cp_rank_, {OperationKind::receive, elements, from, 0, where});
}

RankGroupResult run_ranks(int cp_size, const std::function<void(RankContext&)>& rank_main,
                          const RankGroupOptions& options)
{
  require_valid(cp_size, options);
  GroupState group(cp_size, options);
  {
    std::vector<std::jthread> threads;
    try {
      for (int r = 0; r < cp_size; ++r)
        threads.emplace_back(run_rank, std::ref(group), r, cp_size, std::cref(rank_main));
    } catch (const std::system_error& error) {
      group.stop();
      throw Error("rank group: no thread for rank " + std::to_string(threads.size()) + ": " + error.what());
    }
  }
  return group.result();
}

}  // namespace flashgate::sim
