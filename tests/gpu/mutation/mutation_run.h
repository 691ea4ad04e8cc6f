#pragma once

#include <vector>

#include "tests/gpu/mutation/mutant.h"
#include "tests/gpu/mutation/mutation_targets.h"
#include "tests/gpu/mutation/trial.h"

namespace flashgate::gpu::mutation {

/// What is known of a mutant that was not found; each is tested, not assumed.
enum class Survival {
  unreached,  ///< no case executes the instruction
  same_bits,  ///< every case gives the bits of the right kernel
  rounding,   ///< other bits, within the bound
};
std::string_view name(Survival survival);

struct MutantResult
{
  Mutant mutant;
  TrialResult trial;
  Survival survival = Survival::same_bits;  ///< of one that was not found
};

/// Makes and tries all mutants of the targets, on as many threads as there are cores. The results are in the order of
/// the targets and of make_mutants(), whatever the threads did. `all`: every instruction, not one per place.
std::vector<MutantResult> run_mutants(const std::vector<MutationTarget>& targets,
                                      const attention::KernelLibrary& library, bool all);

/// A target's cases, made ready. Throws Error if the right kernels fail one.
std::vector<TrialCase> prepare_cases(const MutationTarget& target, const attention::KernelLibrary& library);

}  // namespace flashgate::gpu::mutation
