#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tests/gpu/mutation/explained_mutants.h"

namespace flashgate::gpu::mutation {

/// Counts of a group of mutants.
struct MutantCounts
{
  int mutants = 0;
  int found = 0;
  int equivalent = 0;  ///< survived, and the explanation proves that no input tells them from the right kernel
  int gaps = 0;        ///< survived, explained as what the cases leave open
  int unexplained = 0;

  /// Share of those that are not equivalent.
  double found_share() const;
};
MutantCounts count_mutants(const std::vector<MutantResult>& results, const std::vector<Explanation>& explanations);

/// Two tables: by kernel and by rule, with the checks that found them. The same results give the same text.
void print_mutant_table(std::ostream& out, const std::vector<MutantResult>& results,
                        const std::vector<Explanation>& explanations);

}  // namespace flashgate::gpu::mutation
