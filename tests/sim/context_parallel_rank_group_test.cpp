#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "sim/context_parallel/rank_group.h"

namespace flashgate::sim {
namespace {

const RankGroupOptions kConcurrent{Schedule::concurrent, 0, {}};

/// Runs the ranks both ways; both must fail with that kind. Returns the deterministic run's failure.
RankGroupFailure failure_of(int cp_size, FailureKind kind, const std::function<void(RankContext&)>& rank_main,
                            const RankGroupOptions& options = {})
{
  RankGroupOptions concurrent = options;
  concurrent.schedule = Schedule::concurrent;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const RankGroupResult result = run_ranks(cp_size, rank_main, concurrent);
    REQUIRE(result.failure);
    CHECK(result.failure->kind == kind);
  }
  const RankGroupResult result = run_ranks(cp_size, rank_main, options);
  REQUIRE(result.failure);
  CHECK_MESSAGE(result.failure->kind == kind, describe(*result.failure));
  return *result.failure;
}

bool mentions(const RankGroupFailure& failure, const std::string& text)
{
  return describe(failure).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("collectives and messages carry what they should, one at a time and side by side")
{
  for (const RankGroupOptions& options : {RankGroupOptions{}, kConcurrent}) {
    std::vector<double> seen[4];
    const RankGroupResult result = run_ranks(
        4,
        [&](RankContext& context) {
          const double r = context.cp_rank();
          auto& mine = seen[context.cp_rank()];
          mine = context.all_gather(std::vector{r, 10 + r});
          const auto slices = context.all_to_all(std::vector{r, 10 + r, 20 + r, 30 + r});
          mine.insert(mine.end(), slices.begin(), slices.end());
          mine.push_back(context.reduce_scatter(std::vector{r, 10 + r, 20 + r, 30 + r})[0]);
          context.barrier();
          context.send((context.cp_rank() + 1) % 4, std::vector{r});
          context.send((context.cp_rank() + 1) % 4, std::vector{r, r});
          mine.push_back(context.receive((context.cp_rank() + 3) % 4, 1)[0]);
          mine.push_back(context.receive((context.cp_rank() + 3) % 4, 2)[1]);
        },
        options);
    CHECK_FALSE(result.failure);
    CHECK(seen[2] == std::vector<double>{0, 10, 1, 11, 2, 12, 3, 13, 20, 21, 22, 23, 86, 1, 1});
  }
}

TEST_CASE("a group of one meets itself")
{
  double sum = 0;
  const RankGroupResult result = run_ranks(1, [&](RankContext& context) {
    context.barrier();
    context.send(0, std::vector{2.0});
    sum = context.all_gather(std::vector{1.0})[0] + context.receive(0, 1)[0];
  });
  CHECK_FALSE(result.failure);
  CHECK(sum == 3);
}

TEST_CASE("equal seeds give equal turns, other seeds other turns, and the results do not change")
{
  const auto run = [](std::uint64_t seed, double& sum) {
    return run_ranks(8,
                     [&](RankContext& context) {
                       for (int round = 0; round < 4; ++round) {
                         const auto parts = context.all_gather(std::vector{0.1 * context.cp_rank()});
                         if (context.cp_rank() == 3) sum = std::accumulate(parts.begin(), parts.end(), 0.0);
                       }
                     },
                     {Schedule::one_at_a_time, seed, {}})
        .turns;
  };
  double first = 0, second = 0, third = 0;
  const std::vector<int> turns = run(7, first);
  CHECK(run(7, second) == turns);
  CHECK(run(8, third) != turns);
  CHECK(first == second);
  CHECK(first == third);
}

TEST_CASE("different collectives at one meeting are a mismatch that names both, with their lines")
{
  const RankGroupFailure failure = failure_of(4, FailureKind::mismatch, [](RankContext& context) {
    context.barrier();
    if (context.cp_rank() == 2) {
      context.all_to_all(std::vector<double>(8));
    } else {
      context.all_gather(std::vector<double>(8));
    }
  });
  CHECK(mentions(failure, "all_to_all of 8 elements (operation 1, context_parallel_rank_group_test.cpp:"));
  CHECK(mentions(failure, "all_gather of 8 elements"));
  REQUIRE(failure.ranks[2].last_operations.size() >= 1);
  CHECK(failure.ranks[2].last_operations[0].kind == OperationKind::barrier);
}

TEST_CASE("a different size is a mismatch, in a collective and in a message")
{
  failure_of(3, FailureKind::mismatch,
             [](RankContext& context) { context.all_gather(std::vector<double>(context.cp_rank() == 1 ? 5 : 4)); });
  const RankGroupFailure failure = failure_of(2, FailureKind::mismatch, [](RankContext& context) {
    if (context.cp_rank() == 0) context.send(1, std::vector<double>(3));
    if (context.cp_rank() == 1) context.receive(0, 4);
  });
  CHECK(failure.reason == "rank 0 sent 3 elements, rank 1 expects 4");
}

TEST_CASE("the same collectives in another order on one rank are a mismatch")
{
  failure_of(2, FailureKind::mismatch, [](RankContext& context) {
    const std::vector<double> k(4), v(6);
    context.all_gather(context.cp_rank() == 0 ? k : v);
    context.all_gather(context.cp_rank() == 0 ? v : k);
  });
}

TEST_CASE("a rank that returns early is reported by the rank that needs it, whoever comes first")
{
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto rank_main = [](RankContext& context) {
      if (context.cp_rank() != 1) context.barrier();
    };
    const RankGroupResult result = run_ranks(3, rank_main, {Schedule::one_at_a_time, seed, {}});
    REQUIRE(result.failure);
    CHECK(result.failure->kind == FailureKind::rank_left);
    CHECK(result.failure->ranks[1].state == RankState::returned);
  }
}

TEST_CASE("a rank that throws is data: what it threw is in the report and nobody hangs")
{
  const RankGroupFailure failure = failure_of(3, FailureKind::rank_left, [](RankContext& context) {
    context.barrier();
    if (context.cp_rank() == 2) throw std::runtime_error("out of memory");
    context.receive(2, 1);
  });
  CHECK(failure.ranks[2].state == RankState::threw);
  CHECK(mentions(failure, "rank 2 threw: out of memory; last operations: barrier(0)"));
}

TEST_CASE("a rank that throws where nobody waits is a failure all the same")
{
  const RankGroupFailure failure = failure_of(2, FailureKind::rank_left, [](RankContext& context) {
    if (context.cp_rank() == 0) throw 1;
  });
  CHECK(failure.reason == "rank 0 threw: something that is no std::exception");
}

TEST_CASE("all ranks receiving before they send are blocked, and each one's line is told")
{
  const RankGroupFailure failure = failure_of(3, FailureKind::all_blocked, [](RankContext& context) {
    const int from = (context.cp_rank() + 2) % 3;
    context.receive(from, 1);
    context.send((context.cp_rank() + 1) % 3, std::vector{1.0});
  });
  for (int r = 0; r < 3; ++r) {
    const RankReport& rank = failure.ranks[static_cast<std::size_t>(r)];
    CHECK(rank.state == RankState::blocked);
    REQUIRE(rank.waits_in);
    CHECK(rank.waits_in->peer == (r + 2) % 3);
    CHECK(rank.waits_in->where.line() > 0);
  }
}

TEST_CASE("a barrier and a receive that wait for each other are all blocked")
{
  failure_of(2, FailureKind::all_blocked, [](RankContext& context) {
    if (context.cp_rank() == 0) context.receive(1, 1);
    context.barrier();
    if (context.cp_rank() == 1) context.send(0, std::vector{1.0});
  });
}

TEST_CASE("a message that nobody receives is told at the end")
{
  const RankGroupFailure failure = failure_of(2, FailureKind::unreceived, [](RankContext& context) {
    if (context.cp_rank() == 0) context.send(1, std::vector{1.0});
  });
  CHECK(failure.reason == "rank 1 never received a message of rank 0");
}

TEST_CASE("a rank killed before its third operation: the others wait there, and the report keeps five operations")
{
  const RankGroupOptions options{Schedule::one_at_a_time, 3, {{RankFault::Kind::death, 1, 7, 0}}};
  const RankGroupFailure failure = failure_of(
      4, FailureKind::rank_left,
      [](RankContext& context) {
        for (int n = 0; n < 9; ++n)
          context.all_gather(std::vector<double>(static_cast<std::size_t>(n)));
      },
      options);
  CHECK(failure.ranks[1].state == RankState::died);
  CHECK(failure.ranks[1].left_with == "killed by the fault plan");
  CHECK(failure.ranks[1].last_operations.size() == kReportedOperations);
  CHECK(failure.ranks[1].last_operations.back().elements == 6);
  for (const RankReport& rank : failure.ranks) {
    if (rank.state == RankState::blocked) CHECK(rank.waits_in->elements == 7);
  }
}

TEST_CASE("delay and skew change who goes when, not what comes out")
{
  const auto rank_main = [](std::vector<double>& sums) {
    return [&sums](RankContext& context) {
      for (int round = 0; round < 3; ++round)
        sums[static_cast<std::size_t>(context.cp_rank())] +=
            context.reduce_scatter(std::vector<double>(4, 0.1 * context.cp_rank()))[0];
    };
  };
  std::vector<double> plain(4), faulty(4), concurrent(4);
  const RankGroupOptions faults{
      Schedule::one_at_a_time, 5, {{RankFault::Kind::skew, 0, 0, 3}, {RankFault::Kind::delay, 2, 1, 9}}};
  const RankGroupResult undisturbed = run_ranks(4, rank_main(plain), {Schedule::one_at_a_time, 5, {}});
  const RankGroupResult disturbed = run_ranks(4, rank_main(faulty), faults);
  CHECK_FALSE(disturbed.failure);
  CHECK(disturbed.turns != undisturbed.turns);
  CHECK(disturbed.turns[0] != 0);
  CHECK(faulty == plain);
  CHECK_FALSE(run_ranks(4, rank_main(concurrent), {Schedule::concurrent, 0, faults.faults}).failure);
  CHECK(concurrent == plain);
}

TEST_CASE("calls that no group can take are errors")
{
  const auto nothing = [](RankContext&) {};
  CHECK_THROWS_AS(run_ranks(0, nothing), Error);
  CHECK_THROWS_AS(run_ranks(2, nothing, {Schedule::one_at_a_time, 0, {{RankFault::Kind::death, 2, 0, 0}}}), Error);
  const RankGroupResult result = run_ranks(2, [](RankContext& context) { context.send(2, {}); });
  REQUIRE(result.failure);
  CHECK(result.failure->ranks[0].state == RankState::threw);
}

}  // namespace flashgate::sim
