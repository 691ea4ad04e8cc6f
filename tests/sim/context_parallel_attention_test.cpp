#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "reference/mask_expand.h"
#include "reference/mask_families.h"
#include "tests/reference/drawn_problem.h"
#include "tests/sim/context_parallel_case.h"

namespace flashgate::sim {
namespace {

using reference::Causal;
using reference::Encoding;
using reference::Family;
using reference::Problem;

/// A way to compute attention on many ranks, under a name.
struct Method
{
  std::string name;
  RankAttention attention;
  RankLayout layout;
};

std::vector<Method> methods()
{
  return {{"all-gather zigzag", all_gather_attention(oracle()), RankLayout::zigzag},
          {"all-gather contiguous", all_gather_attention(oracle()), RankLayout::contiguous},
          {"ring zigzag", ring_attention(oracle()), RankLayout::zigzag},
          {"ring contiguous", ring_attention(oracle()), RankLayout::contiguous}};
}

/// Sizes of groups; 63 is the largest that rank bits serve, 64 the first they do not.
constexpr int kGroupSizes[] = {1, 2, 4, 8, 16, 32, 63, 64};

/// About 128 rows, so that one rank has whole tiles and 64 ranks have chunks of one row.
Problem problem_for(int cp_size, const Encoding& encoding, int head_dim)
{
  Problem problem{.batch = 1, .num_heads = 2, .num_heads_kv = 1, .head_dim = head_dim, .head_dim_v = 4};
  problem.seqlen_q = 128 / (2 * cp_size) * 2 * cp_size;
  problem.seqlen_k = problem.seqlen_q;
  if (encoding.causal) problem.causal = Causal::bottom_right;
  return problem;
}

ContextParallelOptions options_for(int cp_size, const Method& method, std::uint64_t seed)
{
  return {cp_size, method.layout, {Schedule::one_at_a_time, seed, {}}};
}

std::string told(const Finding& finding)
{
  return finding.failure ? describe(*finding.failure) : "differs in " + finding.tensor;
}

reference::ColumnMask drawn_mask(Family family, const Encoding& encoding, const Problem& problem, std::uint64_t seed)
{
  return make_mask(default_spec(family, encoding, problem, 1, seed), problem);
}

}  // namespace

TEST_CASE("on exact data every group size equals one rank bit for bit, in every method")
{
  const std::pair<Family, Encoding> masks[] = {{Family::causal, {true, 0}},
                                               {Family::causal_blockwise, {true, 2}},
                                               {Family::causal_document, {true, 1}},
                                               {Family::document, {false, 2}},
                                               {Family::global_sliding_window, {false, 4}}};
  std::uint64_t seed = 1;
  for (const int cp_size : kGroupSizes) {
    // A ring of n ranks costs n^2 local calls; large rings leave it at the first two masks.
    for (const auto& [family, encoding] : std::span(masks).first(cp_size > 16 ? 2 : std::size(masks))) {
      const Problem problem = problem_for(cp_size, encoding, kExactHeadDim);
      const ParallelCase c = exact_case(problem, drawn_mask(family, encoding, problem, seed), seed);
      for (const Method& method : methods()) {
        const Finding finding = compare_bits(c, method.attention, options_for(cp_size, method, ++seed));
        CHECK_MESSAGE(finding.clean(), method.name, ", ", cp_size, " ranks, ", family_row(family).name, ": ",
                      told(finding));
      }
    }
  }
}

TEST_CASE("the exact data is not trivial: gradients of Q and K, merged rows and shared weights all occur")
{
  const Problem problem = problem_for(4, {true, 0}, kExactHeadDim);
  const ParallelCase c = exact_case(problem, {}, 1);
  int shared = 0, dq = 0, dk = 0;
  for (const double lse : c.outputs.lse)
    shared += lse > 0.5 ? 1 : 0;
  for (const double element : c.gradients.dq)
    dq += element != 0 ? 1 : 0;
  for (const double element : c.gradients.dk)
    dk += element != 0 ? 1 : 0;
  CHECK(shared > 20);
  CHECK(dq > 20);
  CHECK(dk > 20);
}

TEST_CASE("on other data every family and encoding equals one rank within the bound of reordered sums")
{
  reference::Draw draw(17);
  for (const reference::FamilyRow& family : reference::families()) {
    for (const Encoding& encoding : family.encodings) {
      const int cp_size = draw.integer(2, 4);
      Problem problem = draw.mask_problem(encoding.causal);
      problem.seqlen_q = 2 * cp_size * draw.integer(1, 12);
      problem.seqlen_k = 2 * cp_size * draw.integer(1, 12);
      problem.head_dim = 8;
      problem.head_dim_v = 4;
      problem.softmax_scale = 0.25;
      const ParallelCase c =
          uniform_case(problem, make_mask(draw.spec(family.family, encoding, problem), problem), draw.seed());
      for (const Method& method : methods()) {
        const Finding finding = compare_bounded(c, method.attention, options_for(cp_size, method, draw.seed()));
        CHECK_MESSAGE(finding.clean(), method.name, ", ", cp_size, " ranks, ", family.name, ": ", told(finding));
      }
    }
  }
}

TEST_CASE("on other data every group size equals one rank within the bound of reordered sums")
{
  for (const int cp_size : kGroupSizes) {
    Problem problem = problem_for(cp_size, {true, 1}, 8);
    problem.softmax_scale = 0.5;
    const ParallelCase c = uniform_case(problem, drawn_mask(Family::causal_document, {true, 1}, problem, 3), 5);
    for (const Method& method : methods()) {
      const Finding finding = compare_bounded(c, method.attention, options_for(cp_size, method, 11));
      CHECK_MESSAGE(finding.clean(), method.name, ", ", cp_size, " ranks: ", told(finding));
    }
  }
}

TEST_CASE("results do not depend on the order of delivery, delays, or whether ranks run side by side")
{
  const Problem problem = problem_for(4, {true, 0}, 8);
  const ParallelCase c = uniform_case(problem, {}, 5);
  for (const Method& method : methods()) {
    const auto gradients = [&](const RankGroupOptions& group) {
      return context_parallel_backward(c.problem, c.mask, c.inputs, c.outputs, method.attention,
                                       {4, method.layout, group})
          .gradients;
    };
    const auto first = gradients({Schedule::one_at_a_time, 1, {}});
    for (const RankGroupOptions& group :
         {RankGroupOptions{Schedule::one_at_a_time, 2, {}},
          RankGroupOptions{Schedule::one_at_a_time, 3, {{RankFault::Kind::skew, 2, 0, 5}}},
          RankGroupOptions{Schedule::concurrent, 0, {}}}) {
      const auto other = gradients(group);
      CHECK(std::equal(first.dq.begin(), first.dq.end(), other.dq.begin()));
      CHECK(std::equal(first.dk.begin(), first.dk.end(), other.dk.begin()));
      CHECK(std::equal(first.dv.begin(), first.dv.end(), other.dv.begin()));
    }
  }
}

TEST_CASE("a sink counts once, and its gradient is the sum over ranks")
{
  Problem problem = problem_for(4, {true, 0}, 8);
  problem.softmax_scale = 0.5;
  ParallelCase c = uniform_case(problem, {}, 5);
  c.inputs.sink = {0.5, -1.0};
  c.outputs = attention_forward(problem, {}, c.inputs);
  c.gradients = attention_backward(problem, {}, c.inputs, c.outputs);
  for (const Method& method : methods()) {
    const ContextParallelOptions options = options_for(4, method, 1);
    CHECK(compare_bounded(c, method.attention, options).clean());
    const auto result = context_parallel_backward(problem, {}, c.inputs, c.outputs, method.attention, options);
    REQUIRE(result.gradients.dsink.size() == 2);
    CHECK(result.gradients.dsink[0] == doctest::Approx(c.gradients.dsink[0]).epsilon(1e-12));
    CHECK(result.gradients.dsink[1] == doctest::Approx(c.gradients.dsink[1]).epsilon(1e-12));
  }
}

TEST_CASE("an error in local attention comes back as the report of a rank that threw, lengths that do not divide throw")
{
  const Problem problem = problem_for(2, {false, 0}, 8);
  const ParallelCase c = uniform_case(problem, {}, 5);
  LocalAttention failing = oracle();
  failing.forward = [](const auto&, const auto&, const auto&) -> reference::AttentionOutputs {
    throw Error("no such kernel");
  };
  const auto result = context_parallel_forward(problem, {}, c.inputs, all_gather_attention(failing), {2});
  REQUIRE(result.failure);
  CHECK(describe(*result.failure).find("threw: no such kernel") != std::string::npos);
  CHECK_THROWS_AS(context_parallel_forward(problem, {}, c.inputs, all_gather_attention(oracle()), {3}), Error);
}

}  // namespace flashgate::sim
