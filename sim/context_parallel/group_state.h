#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/context_parallel/rank_group.h"
#include "sim/context_parallel/turn_order.h"

namespace flashgate::sim {

/// One meeting of all ranks: what each of them brought. Read-only once every rank has entered.
struct Round
{
  GroupOperation operation;  ///< of the rank that came first
  int first_rank = 0;
  int missing = 0;  ///< ranks that have not entered
  std::vector<std::vector<double>> contributions;
};

/// Thrown in a rank that the fault plan kills.
struct RankDied
{
};

/// What run_ranks and RankContext share: who is where, the open round, the messages under way. Internal to the group.
/// All functions may be called by all ranks' threads; the ones that take a cp_rank only by that rank's.
class GroupState
{
 public:
  GroupState(int cp_size, const RankGroupOptions& options);

  /// Returns when the rank may run for the first time.
  void start(int cp_rank);

  /// Enters a collective and returns when all ranks have.
  std::shared_ptr<const Round> meet(int cp_rank, GroupOperation operation, std::vector<double> contribution);

  void send(int cp_rank, GroupOperation operation, std::vector<double> elements);
  std::vector<double> receive(int cp_rank, GroupOperation operation);

  /// The rank's function is over. After a stop this changes nothing.
  void leave(int cp_rank, RankState how, std::string left_with);

  /// Stops without a failure: the ranks' threads could not all be started.
  void stop();

  /// After all ranks have left.
  RankGroupResult result();

 private:
  using Lock = std::unique_lock<std::mutex>;

  struct Rank
  {
    RankReport report;
    int operations = 0;  ///< entered so far
    std::condition_variable may_run;
  };

  Rank& rank(int cp_rank) { return ranks_[static_cast<std::size_t>(cp_rank)]; }
  std::deque<std::vector<double>>& messages(int from, int to)
  {
    return messages_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }

  void enter(int cp_rank, GroupOperation& operation, Lock& lock);
  void suffer_delays(int cp_rank, Lock& lock);
  void wait_for_turn(int cp_rank, Lock& lock);
  void block(int cp_rank, const GroupOperation& operation, Lock& lock);
  void release(int cp_rank);
  void next_turn();
  void require_everyone(int cp_rank, const GroupOperation& operation);
  void require_not_all_blocked();
  void require_not_needed(int cp_rank);
  void fail(FailureKind kind, std::string reason);
  [[noreturn]] void fail_in(int cp_rank, const GroupOperation& operation, FailureKind kind, const std::string& reason);

  const RankGroupOptions options_;
  std::mutex mutex_;  ///< guards everything below
  std::vector<Rank> ranks_;
  std::vector<std::vector<std::deque<std::vector<double>>>> messages_;  ///< [from][to]
  std::shared_ptr<Round> open_;                                         ///< the round that some rank waits in
  TurnOrder turn_order_;
  int turn_ = -1;  ///< one at a time: who may run
  bool stopped_ = false;
  std::optional<RankGroupFailure> failure_;
};

}  // namespace flashgate::sim
