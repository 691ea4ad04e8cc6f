#include "sim/context_parallel/group_state.h"

#include <chrono>
#include <thread>

namespace flashgate::sim {
namespace {

bool has_left(const RankReport& report)
{
  return report.state != RankState::running && report.state != RankState::blocked;
}

bool is_collective(OperationKind kind) { return kind != OperationKind::send && kind != OperationKind::receive; }

std::string rank_name(int cp_rank) { return "rank " + std::to_string(cp_rank); }

}  // namespace

GroupState::GroupState(int cp_size, const RankGroupOptions& options)
    : options_(options),
      ranks_(static_cast<std::size_t>(cp_size)),
      messages_(ranks_.size(), std::vector<std::deque<std::vector<double>>>(ranks_.size())),
      turn_order_(cp_size, options.seed)
{
  // A skewed rank is late from the start, not only from its first operation on.
  for (const RankFault& fault : options_.faults) {
    if (fault.kind == RankFault::Kind::skew) turn_order_.delay(fault.cp_rank, fault.turns);
  }
  next_turn();
}

void GroupState::start(int cp_rank)
{
  Lock lock(mutex_);
  wait_for_turn(cp_rank, lock);
}

std::shared_ptr<const Round> GroupState::meet(int cp_rank, GroupOperation operation, std::vector<double> contribution)
{
  Lock lock(mutex_);
  enter(cp_rank, operation, lock);
  require_everyone(cp_rank, operation);
  if (!open_) {
    open_ = std::make_shared<Round>(Round{operation, cp_rank, static_cast<int>(ranks_.size()), {}});
    open_->contributions.resize(ranks_.size());
  }
  const std::shared_ptr<Round> round = open_;
  if (round->operation.kind != operation.kind || round->operation.elements != operation.elements) {
    fail_in(cp_rank, operation, FailureKind::mismatch,
            rank_name(cp_rank) + " entered " + describe(operation) + " where " + rank_name(round->first_rank) +
                " entered " + describe(round->operation));
  }
  round->contributions[static_cast<std::size_t>(cp_rank)] = std::move(contribution);
  if (--round->missing > 0) {
    block(cp_rank, operation, lock);
    return round;
  }
  // Closed before anyone is released: a released rank may enter the next collective at once, which is another round.
  open_.reset();
  for (int r = 0; r < std::ssize(ranks_); ++r) {
    const auto& waits_in = rank(r).report.waits_in;
    if (waits_in && is_collective(waits_in->kind)) release(r);
  }
  return round;
}

void GroupState::send(int cp_rank, GroupOperation operation, std::vector<double> elements)
{
  Lock lock(mutex_);
  enter(cp_rank, operation, lock);
  messages(cp_rank, operation.peer).push_back(std::move(elements));
  const auto& waits_in = rank(operation.peer).report.waits_in;
  if (waits_in && waits_in->kind == OperationKind::receive && waits_in->peer == cp_rank) release(operation.peer);
}

std::vector<double> GroupState::receive(int cp_rank, GroupOperation operation)
{
  Lock lock(mutex_);
  enter(cp_rank, operation, lock);
  auto& inbox = messages(operation.peer, cp_rank);
  // What a rank sent before it left still counts, so the inbox is looked at first.
  if (inbox.empty()) {
    if (has_left(rank(operation.peer).report)) {
      fail_in(cp_rank, operation, FailureKind::rank_left,
              rank_name(cp_rank) + " waits for " + rank_name(operation.peer) + ", which has left");
    }
    block(cp_rank, operation, lock);
  }
  std::vector<double> elements = std::move(inbox.front());
  inbox.pop_front();
  if (elements.size() != operation.elements) {
    fail_in(cp_rank, operation, FailureKind::mismatch,
            rank_name(operation.peer) + " sent " + std::to_string(elements.size()) + " elements, " +
                rank_name(cp_rank) + " expects " + std::to_string(operation.elements));
  }
  return elements;
}

void GroupState::leave(int cp_rank, RankState how, std::string left_with)
{
  const Lock lock(mutex_);
  if (stopped_) return;
  RankReport& report = rank(cp_rank).report;
  report.state = how;
  report.left_with = std::move(left_with);
  require_not_needed(cp_rank);
  require_not_all_blocked();
  next_turn();
}

void GroupState::stop()
{
  const Lock lock(mutex_);
  stopped_ = true;
  for (Rank& r : ranks_)
    r.may_run.notify_all();
}

RankGroupResult GroupState::result()
{
  const Lock lock(mutex_);
  const int cp_size = static_cast<int>(ranks_.size());
  for (int r = 0; r < cp_size && !failure_; ++r) {
    const RankReport& report = rank(r).report;
    if (report.state != RankState::returned) {
      fail(FailureKind::rank_left, rank_name(r) + " " + std::string(name(report.state)) + ": " + report.left_with);
    }
  }
  for (int from = 0; from < cp_size && !failure_; ++from) {
    for (int to = 0; to < cp_size && !failure_; ++to) {
      if (messages(from, to).empty()) continue;
      fail(FailureKind::unreceived, rank_name(to) + " never received a message of " + rank_name(from));
    }
  }
  return {std::move(failure_), turn_order_.turns()};
}

/// What every operation begins with: delays, another rank's turn, death, the record.
void GroupState::enter(int cp_rank, GroupOperation& operation, Lock& lock)
{
  if (stopped_) throw RankGroupStopped{};
  suffer_delays(cp_rank, lock);
  next_turn();
  wait_for_turn(cp_rank, lock);
  Rank& self = rank(cp_rank);
  for (const RankFault& fault : options_.faults) {
    const bool mine = fault.cp_rank == cp_rank && fault.operation == self.operations;
    if (mine && fault.kind == RankFault::Kind::death) throw RankDied{};
  }
  operation.number = self.operations++;
  auto& last = self.report.last_operations;
  if (last.size() == kReportedOperations) last.erase(last.begin());
  last.push_back(operation);
}

void GroupState::suffer_delays(int cp_rank, Lock& lock)
{
  for (const RankFault& fault : options_.faults) {
    const bool delay = fault.kind == RankFault::Kind::delay && fault.operation == rank(cp_rank).operations;
    if (fault.cp_rank != cp_rank || !(delay || fault.kind == RankFault::Kind::skew)) continue;
    if (options_.schedule == Schedule::one_at_a_time) {
      turn_order_.delay(cp_rank, fault.turns);
    } else {
      lock.unlock();  // the others must be able to overtake
      std::this_thread::sleep_for(std::chrono::microseconds(fault.turns));
      lock.lock();
    }
  }
}

void GroupState::wait_for_turn(int cp_rank, Lock& lock)
{
  Rank& self = rank(cp_rank);
  self.may_run.wait(lock, [&] {
    const bool ready = self.report.state == RankState::running;
    return stopped_ || (ready && (options_.schedule == Schedule::concurrent || turn_ == cp_rank));
  });
  if (stopped_) throw RankGroupStopped{};
}

/// Waits until another rank releases this one.
void GroupState::block(int cp_rank, const GroupOperation& operation, Lock& lock)
{
  rank(cp_rank).report.state = RankState::blocked;
  rank(cp_rank).report.waits_in = operation;
  require_not_all_blocked();
  next_turn();
  wait_for_turn(cp_rank, lock);
}

void GroupState::release(int cp_rank)
{
  rank(cp_rank).report.state = RankState::running;
  rank(cp_rank).report.waits_in.reset();
  if (options_.schedule == Schedule::concurrent) rank(cp_rank).may_run.notify_all();
}

void GroupState::next_turn()
{
  if (options_.schedule == Schedule::concurrent || stopped_) return;
  std::vector<bool> ready(ranks_.size());
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    ready[r] = ranks_[r].report.state == RankState::running;
  turn_ = turn_order_.choose(ready);
  if (turn_ >= 0) rank(turn_).may_run.notify_all();
}

/// A collective needs every rank: one that has left will never enter it.
void GroupState::require_everyone(int cp_rank, const GroupOperation& operation)
{
  for (int r = 0; r < std::ssize(ranks_); ++r) {
    if (!has_left(rank(r).report)) continue;
    fail_in(cp_rank, operation, FailureKind::rank_left,
            rank_name(cp_rank) + " entered " + describe(operation) + ", and " + rank_name(r) + " has left");
  }
}

void GroupState::require_not_all_blocked()
{
  bool someone_waits = false;
  for (const Rank& r : ranks_) {
    if (r.report.state == RankState::running) return;
    someone_waits = someone_waits || r.report.state == RankState::blocked;
  }
  if (someone_waits && !failure_) fail(FailureKind::all_blocked, "every rank that is left waits for another one");
}

/// A rank has left: nobody may be waiting for it.
void GroupState::require_not_needed(int cp_rank)
{
  for (int r = 0; r < std::ssize(ranks_); ++r) {
    const auto& waits_in = rank(r).report.waits_in;
    if (!waits_in || (!is_collective(waits_in->kind) && waits_in->peer != cp_rank)) continue;
    fail(FailureKind::rank_left, rank_name(cp_rank) + " " + std::string(name(rank(cp_rank).report.state)) + ", and " +
                                     rank_name(r) + " waits for it in " + describe(*waits_in));
    return;
  }
}

void GroupState::fail(FailureKind kind, std::string reason)
{
  failure_ = RankGroupFailure{kind, std::move(reason), {}};
  for (const Rank& r : ranks_)
    failure_->ranks.push_back(r.report);
  stopped_ = true;
  for (Rank& r : ranks_)
    r.may_run.notify_all();
}

/// A failure that shows when this rank enters an operation it can't get through: the report has it waiting there.
void GroupState::fail_in(int cp_rank, const GroupOperation& operation, FailureKind kind, const std::string& reason)
{
  rank(cp_rank).report.state = RankState::blocked;
  rank(cp_rank).report.waits_in = operation;
  fail(kind, reason);
  throw RankGroupStopped{};
}

}  // namespace flashgate::sim
