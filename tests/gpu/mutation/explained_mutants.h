#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/gpu/mutation/mutation_run.h"

namespace flashgate::gpu::mutation {

/// Why mutants of one kind survive: a line of explained_mutants.tsv.
struct Explanation
{
  std::string entry;     ///< what the kernel's name begins with: "v2_"
  std::string rule;      ///< or "*"
  std::string source;    ///< part of the line of CUDA C++ that the instruction comes from
  std::string survival;  ///< what the mutants are known to do, see Survival
  std::string verdict;  ///< "equivalent": no input tells it from the right kernel; "gap": one might, and none does here
  std::string reason;
  int line = 0;  ///< of the file
};

/// Reads the file; empty lines and those that begin with # are left out. Throws Error naming file and line for one that
/// has not six columns, or words that mean nothing.
std::vector<Explanation> read_explanations(const std::string& path);

/// The explanation of a survivor; nullptr if there is none.
const Explanation* explain(const MutantResult& survivor, const std::vector<Explanation>& explanations);

/// What is not as the file says: survivors that it doesn't explain, and lines of which nothing survives any more. Empty
/// if the file is honest.
std::vector<std::string> objections(const std::vector<MutantResult>& results,
                                    const std::vector<Explanation>& explanations);

}  // namespace flashgate::gpu::mutation
