#include "sim/dispatch/plan.h"

#include <algorithm>

#include "sim/dispatch/tracer.h"

namespace flashgate::sim {

Symbol phase_name(Phase phase)
{
  static const std::array<Symbol, 5> names{Symbol(), Symbol("import"), Symbol("fwd"), Symbol("second_fwd"),
                                           Symbol("bwd")};
  return names[static_cast<std::size_t>(phase)];
}

Symbol subject_error()
{
  static const Symbol kind("error");
  return kind;
}

Symbol collective_name(Collective collective)
{
  static const std::array<Symbol, 5> names{Symbol("all_gather(K)"), Symbol("all_gather(V)"), Symbol("alltoall(dK)"),
                                           Symbol("alltoall(dV)"), Symbol("another collective")};
  return names[static_cast<std::size_t>(collective)];
}

void CellPlan::reset(int rank_count)
{
  rank_count_ = rank_count;
  if (static_cast<int>(ranks_.size()) < rank_count) ranks_.resize(rank_count);
  for (int rank = 0; rank < rank_count; ++rank) {
    std::vector<TraceStep> kept = std::move(ranks_[rank].trace);
    kept.clear();
    ranks_[rank] = RankPlan();
    ranks_[rank].trace = std::move(kept);
  }
}

namespace {

bool same_launch(const Launch& left, const Launch& right)
{
  return left.version == right.version && left.kernel == right.kernel && left.arity == right.arity;
}

}  // namespace

bool same_route(const RankPlan& left, const RankPlan& right)
{
  return same_launch(left.forward, right.forward) && same_launch(left.second_forward, right.second_forward) &&
         same_launch(left.backward, right.backward) && left.handed_version == right.handed_version &&
         left.error.phase == right.error.phase && left.error.kind == right.error.kind &&
         left.error.message == right.error.message;
}

void Tracer::record_answer(Symbol decision, bool answer)
{
  static const Symbol yes("yes");
  static const Symbol no("no");
  record(decision, answer ? yes : no);
}

}  // namespace flashgate::sim
