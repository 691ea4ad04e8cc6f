// The harness judged by kernels that are wrong on purpose: each mutant is our own PTX with one instruction changed.
#include <cstdlib>
#include <iostream>

#include <doctest/doctest.h>

#include "tests/gpu/mutation/mutation_table.h"

namespace flashgate::gpu::mutation {
namespace {

constexpr int kFewestMutants = 150;
constexpr double kFoundShare = 0.98;

bool is_thorough() { return std::getenv("FLASHGATE_THOROUGH") != nullptr; }

/// Parts of kernel names to mutate, for work on one: FLASHGATE_MUTATE=v2_forward.
std::vector<MutationTarget> chosen_targets()
{
  std::vector<MutationTarget> targets = mutation_targets();
  const char* only = std::getenv("FLASHGATE_MUTATE");
  if (only != nullptr)
    std::erase_if(targets, [&](const MutationTarget& t) { return t.entry.find(only) == std::string::npos; });
  return targets;
}

TEST_CASE("mutants of our kernels are found, and each that is not is explained")
{
  const std::vector<MutationTarget> targets = chosen_targets();
  const auto results = run_mutants(targets, attention::load_kernels(FLASHGATE_KERNELS), is_thorough());
  const auto explanations = read_explanations(FLASHGATE_EXPLAINED_MUTANTS);
  print_mutant_table(std::cout, results, explanations);
  for (const std::string& line : objections(results, explanations))
    FAIL_CHECK(line);
  const MutantCounts counts = count_mutants(results, explanations);
  CHECK(counts.mutants >= kFewestMutants);
  CHECK(counts.found_share() >= kFoundShare);
}

}  // namespace
}  // namespace flashgate::gpu::mutation
