#pragma once

#include <cstddef>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace flashgate::sim {

/// What a rank group says when its ranks can't all finish: plain data, a result and never an exception.

enum class OperationKind { all_gather, all_to_all, barrier, send, receive };

/// One entry of a rank into the group.
struct GroupOperation
{
  OperationKind kind = OperationKind::barrier;
  std::size_t elements = 0;      ///< what this rank contributes, sends or expects
  int peer = -1;                 ///< the other rank of a send or receive
  int number = 0;                ///< how many operations this rank had entered before
  std::source_location where{};  ///< the line of the rank's code
};

enum class RankState {
  running,   ///< between two operations
  blocked,   ///< waits in an operation
  returned,  ///< its function returned
  threw,     ///< its function threw; left_with says what
  died,      ///< killed by the fault plan
};

/// How many of a rank's last operations a report keeps.
constexpr std::size_t kReportedOperations = 5;

struct RankReport
{
  RankState state = RankState::running;
  std::optional<GroupOperation> waits_in;       ///< set if blocked
  std::string left_with;                        ///< what a rank threw or died of
  std::vector<GroupOperation> last_operations;  ///< the last five it entered, oldest first, waits_in included
};

enum class FailureKind {
  mismatch,     ///< ranks met in one collective with different kinds, sizes or orders
  rank_left,    ///< a rank returned, threw or died and others need it; or it threw or died at all
  all_blocked,  ///< every rank that is left waits for another one
  unreceived,   ///< all ranks returned, and a message was never received
};

struct RankGroupFailure
{
  FailureKind kind = FailureKind::mismatch;
  std::string reason;             ///< one line; names the ranks it is about
  std::vector<RankReport> ranks;  ///< by cp_rank, at the moment of the failure
};

std::string_view name(OperationKind kind);
std::string_view name(RankState state);
std::string_view name(FailureKind kind);

/// "all_to_all of 96 elements (operation 3, ring_attention.cpp:41)"; the file without its folder.
std::string describe(const GroupOperation& operation);

/// The reason, then a line for every rank: its state, where it waits or how it left, and its last operations.
std::string describe(const RankGroupFailure& failure);

}  // namespace flashgate::sim
