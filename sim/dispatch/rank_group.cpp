#include "sim/dispatch/rank_group.h"

namespace flashgate::sim {
namespace {

/// Where `waiting` stands alone in a collective that `absent` does not enter; -1 if nowhere.
int lonely_position(const CollectiveLog& waiting, const CollectiveLog& absent)
{
  for (int i = 0; i < waiting.count; ++i)
    if (i >= absent.count || waiting.entered[i] != absent.entered[i]) return i;
  return -1;
}

/// The collectives `log` entered, "all_gather(K), all_gather(V)".
std::string entered(const CollectiveLog& log)
{
  std::string list;
  for (int i = 0; i < log.count; ++i) {
    if (i > 0) list += ", ";
    list += collective_name(log.entered[i]).text();
  }
  return log.count == 0 ? "no collective" : list;
}

std::string rank_state(const RankPlan& rank, int position)
{
  if (rank.collectives.count > position)
    return "waits in " + std::string(collective_name(rank.collectives.entered[position]).text());
  if (!rank.error) return "finished";
  return "raised " + std::string(rank.error.kind.text()) + " in " + std::string(phase_name(rank.error.phase).text()) +
         " (" + std::string(rank.error.message.text()) + ")";
}

}  // namespace

std::optional<Hang> find_hang(const CellPlan& plan)
{
  for (int waiting = 0; waiting < plan.rank_count(); ++waiting)
    for (int absent = 0; absent < plan.rank_count(); ++absent) {
      const CollectiveLog& log = plan.rank(waiting).collectives;
      const int position = lonely_position(log, plan.rank(absent).collectives);
      if (position >= 0) return Hang{waiting, absent, position, log.entered[position]};
    }
  return std::nullopt;
}

std::string describe_hang(const CellPlan& plan, const Hang& hang)
{
  std::string lines;
  for (int rank = 0; rank < plan.rank_count(); ++rank) {
    const RankPlan& state = plan.rank(rank);
    if (rank > 0) lines += '\n';
    lines += "rank " + std::to_string(rank) + " " + rank_state(state, hang.position) + "; entered " +
             entered(state.collectives);
  }
  return lines;
}

}  // namespace flashgate::sim
