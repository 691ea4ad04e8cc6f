#pragma once

#include <optional>
#include <string>

#include "sim/dispatch/rank_planner.h"

namespace flashgate::sim {

/// Plans every rank of a group with a function that plays one rank. Ranks that see the same request share its answer.
template <typename PlanRank>
void plan_group(const Request& request, bool with_trace, CellPlan& plan, PlanRank plan_rank)
{
  plan.reset(request.cp_size);
  for (int rank = 0; rank < request.cp_size; ++rank) {
    RankPlan& mine = plan.rank(rank);
    const bool like_last_rank = rank > 0 && rank != request.ranks_with_v4;
    if (like_last_rank) {
      mine = plan.rank(rank - 1);
      continue;
    }
    Request seen = request;
    seen.rank = rank;
    RankPlanner planner(seen, mine, Tracer(with_trace ? &mine.trace : nullptr));
    plan_rank(planner);
  }
}

/// A group whose ranks can't all finish: `waiting_rank` waits in its collective number `position` (from 0) for
/// `absent_rank`, which never enters that collective.
struct Hang
{
  int waiting_rank = 0;
  int absent_rank = 0;
  int position = 0;
  Collective collective = Collective::all_gather_k;
};

/// The first hang that the ranks' collective logs imply: a rank enters a collective that another one has left the step
/// without entering. Empty if all ranks enter the same collectives.
std::optional<Hang> find_hang(const CellPlan& plan);

/// Every rank's state in a hang, a line each: where it waits or how it left, and the collectives it entered.
std::string describe_hang(const CellPlan& plan, const Hang& hang);

}  // namespace flashgate::sim
