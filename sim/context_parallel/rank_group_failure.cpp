#include "sim/context_parallel/rank_group_failure.h"

#include <array>

namespace flashgate::sim {
namespace {

std::string rank_line(std::size_t cp_rank, const RankReport& rank)
{
  std::string line = "rank " + std::to_string(cp_rank) + " " + std::string(name(rank.state));
  if (rank.waits_in) line += " in " + describe(*rank.waits_in);
  if (!rank.left_with.empty()) line += ": " + rank.left_with;
  line += "; last operations:";
  if (rank.last_operations.empty()) line += " none";
  for (const GroupOperation& operation : rank.last_operations) {
    line += ' ' + std::string(name(operation.kind)) + '(' + std::to_string(operation.elements) + ')';
  }
  return line;
}

}  // namespace

std::string_view name(OperationKind kind)
{
  constexpr std::array<std::string_view, 5> kNames = {"all_gather", "all_to_all", "barrier", "send", "receive"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(RankState state)
{
  constexpr std::array<std::string_view, 5> kNames = {"running", "blocked", "returned", "threw", "died"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view name(FailureKind kind)
{
  constexpr std::array<std::string_view, 4> kNames = {"mismatch", "rank_left", "all_blocked", "unreceived"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string describe(const GroupOperation& operation)
{
  std::string text(name(operation.kind));
  if (operation.peer >= 0) {
    text += (operation.kind == OperationKind::send ? " to rank " : " from rank ") + std::to_string(operation.peer);
  }
  const std::string_view path = operation.where.file_name();
  text += " of " + std::to_string(operation.elements) + " elements (operation " + std::to_string(operation.number) +
          ", " + std::string(path.substr(path.find_last_of('/') + 1)) + ':' + std::to_string(operation.where.line()) +
          ')';
  return text;
}

std::string describe(const RankGroupFailure& failure)
{
  std::string text = std::string(name(failure.kind)) + ": " + failure.reason;
  for (std::size_t r = 0; r < failure.ranks.size(); ++r)
    text += '\n' + rank_line(r, failure.ranks[r]);
  return text;
}

}  // namespace flashgate::sim
