#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "reference/block_mask.h"
#include "reference/mask_families.h"
#include "reference/problem.h"

namespace flashgate::reference {

/// Draws problems and family parameters for property tests. Everything follows from the seed, on every platform: only
/// the generator's raw output is used, never a standard distribution.
class Draw
{
 public:
  explicit Draw(std::uint64_t seed) : generator_(seed) {}

  /// Uniform in [low, high].
  int integer(int low, int high)
  {
    return low + static_cast<int>(generator_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool coin() { return integer(0, 1) == 1; }
  std::uint64_t seed() { return generator_(); }

  template <typename Value>
  Value one_of(std::initializer_list<Value> values)
  {
    return *(values.begin() + integer(0, static_cast<int>(values.size()) - 1));
  }

  /// Lengths around tile edges; heads with and without groups.
  Problem mask_problem(bool causal)
  {
    Problem problem;
    problem.batch = integer(1, 2);
    problem.num_heads_kv = integer(1, 2);
    problem.num_heads = problem.num_heads_kv * integer(1, 2);
    problem.seqlen_q = coin() ? integer(1, 40) : one_of({63, 64, 65, 90, 129});
    problem.seqlen_k = coin() ? integer(1, 40) : one_of({63, 64, 65, 90, 129});
    if (causal) problem.causal = coin() ? Causal::bottom_right : Causal::top_left;
    return problem;
  }

  int mask_heads(const Problem& problem) { return one_of({1, problem.num_heads_kv, problem.num_heads}); }

  /// Parameters anywhere a family allows, zero lengths and empty windows included.
  FamilySpec spec(Family family, const Encoding& encoding, const Problem& problem)
  {
    FamilySpec spec = default_spec(family, encoding, problem, mask_heads(problem), seed());
    spec.lengths = lengths(problem.seqlen_k);
    spec.prefixes.clear();
    for (const int length : spec.lengths)
      spec.prefixes.push_back(integer(0, length));
    spec.window_left = integer(0, problem.seqlen_k);
    spec.window_right = integer(0, problem.seqlen_k);
    spec.global_tokens = integer(0, problem.seqlen_k);
    spec.prefix = integer(0, problem.seqlen_k);
    spec.dropped = spans(problem.seqlen_k);
    spec.rows = {integer(0, problem.seqlen_q - 1), integer(1, problem.seqlen_q)};
    spec.columns = {integer(0, problem.seqlen_k - 1), integer(1, problem.seqlen_k)};
    return spec;
  }

 private:
  /// One to five lengths whose sum is at most `total`; what is left is padding.
  std::vector<int> lengths(int total)
  {
    std::vector<int> drawn(static_cast<std::size_t>(integer(1, 5)));
    for (int& length : drawn) {
      length = integer(0, total);
      total -= length;
    }
    return drawn;
  }

  std::vector<Span> spans(int total)
  {
    std::vector<Span> drawn;
    int begin = integer(0, total);
    while (begin < total) {
      const int length = integer(1, total - begin);
      drawn.push_back({begin, length});
      begin += length + integer(0, total);
    }
    return drawn;
  }

  std::mt19937_64 generator_;
};

}  // namespace flashgate::reference
