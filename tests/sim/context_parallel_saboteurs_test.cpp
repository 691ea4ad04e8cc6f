#include "tests/sim/context_parallel_saboteurs.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/sim/context_parallel_case.h"

namespace flashgate::sim {
namespace {

using reference::Causal;
using reference::Problem;

constexpr int kRanks = 4;

ParallelCase sabotaged_case()
{
  Problem problem{.seqlen_q = 32, .seqlen_k = 32, .head_dim = 8, .head_dim_v = 4};
  problem.softmax_scale = 0.5;
  problem.causal = Causal::bottom_right;
  return uniform_case(problem, {}, 9);
}

ContextParallelOptions options(const RankGroupOptions& group) { return {kRanks, RankLayout::zigzag, group}; }

std::string caught_by(const Finding& finding)
{
  return finding.failure ? std::string(name(finding.failure->kind)) : finding.tensor;
}

}  // namespace

TEST_CASE("every saboteur is caught, by the comparison with one rank or by the group's report")
{
  const ParallelCase c = sabotaged_case();
  CHECK(saboteurs().size() >= 20);
  for (const Saboteur& saboteur : saboteurs()) {
    const Finding finding = compare_bounded(c, saboteur.attention, options(saboteur.group));
    CHECK_MESSAGE(caught_by(finding) == saboteur.caught_by, saboteur.name,
                  finding.failure ? ": " + describe(*finding.failure) : "");
  }
}

TEST_CASE("the honest methods pass the same comparison")
{
  const ParallelCase c = sabotaged_case();
  CHECK(compare_bounded(c, all_gather_attention(oracle()), options({})).clean());
  CHECK(compare_bounded(c, ring_attention(oracle()), options({})).clean());
}

TEST_CASE("when a rank dies before its all_to_all, every other rank is told waiting there, with its line")
{
  for (const Saboteur& saboteur : saboteurs()) {
    if (saboteur.name != "dies before its all_to_all") continue;
    const Finding finding = compare_bounded(sabotaged_case(), saboteur.attention, options(saboteur.group));
    REQUIRE(finding.failure);
    CHECK(finding.failure->ranks[kFaultyRank].state == RankState::died);
    for (int r = 0; r < kRanks; ++r) {
      if (r == kFaultyRank) continue;
      const RankReport& rank = finding.failure->ranks[static_cast<std::size_t>(r)];
      CHECK(rank.state == RankState::blocked);
      REQUIRE(rank.waits_in);
      CHECK(rank.waits_in->kind == OperationKind::all_to_all);
      CHECK(std::string(rank.waits_in->where.file_name()).find("all_gather_attention.cpp") != std::string::npos);
    }
    return;
  }
  FAIL("there is no such saboteur");
}

}  // namespace flashgate::sim
