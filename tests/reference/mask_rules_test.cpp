#include "reference/mask_rules.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "reference/mask_expand.h"
#include "tests/reference/drawn_problem.h"

namespace flashgate::reference {
namespace {

/// Shapes per property run; rapidcheck makes a hundred runs, so each family sees a thousand shapes per encoding.
constexpr int kShapesPerRun = 10;

/// Counts what the two definitions say differently. Zero is the property.
int disagreements(const FamilySpec& spec, const Problem& problem)
{
  const ColumnMask mask = make_mask(spec, problem);
  int count = 0;
  for (int b = 0; b < problem.batch; ++b) {
    for (int h = 0; h < problem.num_heads; ++h) {
      for (int i = 0; i < problem.seqlen_q; ++i) {
        for (int j = 0; j < problem.seqlen_k; ++j) {
          count += masked(problem, {mask}, b, h, i, j) != masked_by_rule(spec, problem, b, h, i, j) ? 1 : 0;
        }
      }
    }
  }
  return count;
}

}  // namespace

TEST_CASE("columns and rules agree on every family, encoding and drawn shape")
{
  for (const FamilyRow& row : families()) {
    for (const Encoding& encoding : row.encodings) {
      const bool holds = rc::check(std::string(row.name), [&] {
        Draw draw(*rc::gen::arbitrary<std::uint64_t>());
        for (int n = 0; n < kShapesPerRun; ++n) {
          const Problem problem = draw.mask_problem(encoding.causal);
          const FamilySpec spec = draw.spec(row.family, encoding, problem);
          RC_ASSERT(disagreements(spec, problem) == 0);
        }
      });
      CHECK_MESSAGE(holds, row.name);
    }
  }
}

TEST_CASE("columns and rules agree on upstream's own parameters at every boundary length")
{
  const int lengths[] = {1, 2, 3, 63, 64, 65, 127, 128, 129};
  for (const FamilyRow& row : families()) {
    for (const Encoding& encoding : row.encodings) {
      for (const int seqlen_q : lengths) {
        for (const int seqlen_k : lengths) {
          Problem problem{.seqlen_q = seqlen_q, .seqlen_k = seqlen_k};
          if (encoding.causal) problem.causal = seqlen_q % 2 == 0 ? Causal::top_left : Causal::bottom_right;
          const FamilySpec spec = default_spec(row.family, encoding, problem, 1, 5);
          CHECK_MESSAGE(disagreements(spec, problem) == 0, row.name, " ", seqlen_q, " ", seqlen_k);
        }
      }
    }
  }
}

}  // namespace flashgate::reference
