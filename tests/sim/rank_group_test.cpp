#include "sim/dispatch/rank_group.h"

#include <doctest/doctest.h>

namespace flashgate::sim {
namespace {

/// A plan of `ranks` that all entered K and V's gathers and both scatters.
CellPlan healthy(int ranks)
{
  CellPlan plan;
  plan.reset(ranks);
  for (int rank = 0; rank < ranks; ++rank)
    for (const Collective c : {Collective::all_gather_k, Collective::all_gather_v, Collective::alltoall_dk})
      plan.rank(rank).collectives.enter(c);
  return plan;
}

TEST_CASE("ranks that enter the same collectives do not hang")
{
  CHECK_FALSE(find_hang(healthy(1)));
  CHECK_FALSE(find_hang(healthy(8)));
}

TEST_CASE("a rank that leaves before a collective hangs the others, and the report says where")
{
  CellPlan plan = healthy(3);
  plan.rank(2).collectives.count = 2;
  plan.rank(2).fail(Phase::backward, Symbol("ValueError"), Symbol("version 4"));
  const auto hang = find_hang(plan);
  REQUIRE(hang);
  CHECK(hang->waiting_rank == 0);
  CHECK(hang->absent_rank == 2);
  CHECK(hang->position == 2);
  CHECK(hang->collective == Collective::alltoall_dk);
  CHECK(describe_hang(plan, *hang) ==
        "rank 0 waits in alltoall(dK); entered all_gather(K), all_gather(V), alltoall(dK)\n"
        "rank 1 waits in alltoall(dK); entered all_gather(K), all_gather(V), alltoall(dK)\n"
        "rank 2 raised ValueError in bwd (version 4); entered all_gather(K), all_gather(V)");
}

TEST_CASE("ranks in different collectives hang")
{
  CellPlan plan = healthy(2);
  plan.rank(1).collectives.entered[1] = Collective::alltoall_dv;
  const auto hang = find_hang(plan);
  REQUIRE(hang);
  CHECK(hang->position == 1);
}

TEST_CASE("ranks beyond those with v4 share a plan, the last one with it does not")
{
  Request request;
  request.cp_size = 4;
  request.ranks_with_v4 = 2;
  CellPlan plan;
  std::vector<int> asked;
  plan_group(request, false, plan, [&](RankPlanner& planner) { asked.push_back(planner.request().rank); });
  CHECK(asked == std::vector<int>{0, 2});
}

TEST_CASE("equal texts are equal symbols")
{
  CHECK(Symbol("all_gather") == Symbol(std::string("all_") + "gather"));
  CHECK(Symbol("a") != Symbol("b"));
  CHECK(Symbol("").empty());
  CHECK(Symbol("x").text() == "x");
}

}  // namespace
}  // namespace flashgate::sim
