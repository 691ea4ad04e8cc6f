#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "sim/context_parallel/rank_group_failure.h"

namespace flashgate::sim {

/// Simulated ranks: one function, run once per rank, that talks to the other ranks through its RankContext.
///
/// The group knows who waits in what. A mismatch of collectives, a rank that left while others need it, and a state in
/// which every rank left waits for another are found in the operation that brings them about, never by a timeout; the
/// group then stops: what happened is kept as a RankGroupFailure, blocked ranks are released, and no rank gets through
/// another operation.

/// How ranks run. Each has a thread of its own either way, and the same code.
enum class Schedule {
  one_at_a_time,  ///< one rank runs, until it enters an operation; the seed draws who goes next. Deterministic
  concurrent,     ///< ranks run side by side; the order is the machine's
};

/// Something that happens to a rank on purpose.
struct RankFault
{
  enum class Kind {
    delay,  ///< kept back before one operation
    skew,   ///< kept back before every operation
    death,  ///< leaves instead of entering an operation
  };
  Kind kind = Kind::delay;
  int cp_rank = 0;
  int operation = 0;  ///< which one, counted from 0; ignored by skew
  int turns = 0;      ///< how long it is kept back: turns of other ranks, or microseconds if concurrent
};

struct RankGroupOptions
{
  Schedule schedule = Schedule::one_at_a_time;
  std::uint64_t seed = 0;  ///< of the order of turns; ignored if concurrent
  std::vector<RankFault> faults{};
};

struct RankGroupResult
{
  std::optional<RankGroupFailure> failure;  ///< empty: every rank returned and every message was received
  std::vector<int> turns;                   ///< one at a time: the rank of each turn; equal seeds give equal turns
};

class GroupState;

/// What a rank function gets: who it is, and the operations of its group. Owned by the group, valid during the call,
/// used by the rank's own thread only. Every operation records the line it is called from. Operations do not return
/// normally once the group has stopped: they throw RankGroupStopped, which a rank function lets through.
class RankContext
{
 public:
  using Where = std::source_location;

  RankContext(GroupState& group, int cp_rank, int cp_size) : group_(group), cp_rank_(cp_rank), cp_size_(cp_size) {}

  int cp_rank() const { return cp_rank_; }
  int cp_size() const { return cp_size_; }

  /// Every rank's elements, in the order of ranks. Collective; all ranks give the same number.
  std::vector<double> all_gather(std::span<const double> mine, Where where = Where::current());

  /// `slices` is cp_size equal slices, slice p for rank p; returns what each rank had for this one, in the order of
  /// ranks. Collective. Throws Error if the slices are not equal.
  std::vector<double> all_to_all(std::span<const double> slices, Where where = Where::current());

  /// The sum over ranks of their slices for this rank, added in ascending order of ranks whatever the order of
  /// delivery: an all_to_all and a local sum. Collective.
  std::vector<double> reduce_scatter(std::span<const double> slices, Where where = Where::current());

  /// Returns when every rank has entered it.
  void barrier(Where where = Where::current());

  /// Hands elements to rank `to` and goes on. Messages between two ranks arrive in the order sent.
  void send(int to, std::span<const double> elements, Where where = Where::current());

  /// The next message of rank `from`; waits for it. Its length must be `elements`, else the group reports a mismatch.
  std::vector<double> receive(int from, std::size_t elements, Where where = Where::current());

 private:
  GroupState& group_;
  int cp_rank_;
  int cp_size_;
};

/// Thrown out of an operation when the group has stopped. Nothing catches it but the group.
struct RankGroupStopped
{
};

/// Runs rank_main on cp_size ranks and waits for all of them. What a rank throws is data in the result. Throws Error if
/// cp_size is not positive, a fault names no rank of the group, or threads can't be had.
RankGroupResult run_ranks(int cp_size, const std::function<void(RankContext&)>& rank_main,
                          const RankGroupOptions& options = {});

}  // namespace flashgate::sim
